"""The terminal under a flood, and when nothing happens."""

import time
from pathlib import Path
from typing import Any

import pexpect
import pytest
from testbed.replies import Call, Delivery, Say
from testbed.run_agent import start_agent
from testbed.server import ModelServer
from testbed.terminals import PROMPT, leave

MODEL = ["-m", "anthropic/test-model", "-y"]
TALKS = Say("Many words.\n" * 2_000_000, delivery=Delivery(piece=50))
PRINTS = Say(calls=[Call("execute_command", {"command": "yes 'one line of many'"})])
PATIENCE = 2.0
"""Seconds; 0.2 on a machine that has nothing else to do, as the benchmark measures."""
QUIET = 2.0


def flooded(terminal: Any, seconds: float) -> None:
    """Take what is written for so long."""
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        terminal.read_nonblocking(65_536, 5)


@pytest.mark.parametrize("key", ["\x1b", "\x03"], ids=["Esc", "Ctrl-C"])
@pytest.mark.parametrize("reply", [TALKS, PRINTS], ids=["of text", "of a command's output"])
def test_a_flood_is_stopped_by_a_key(reply: Say, key: str, project: Path, home: Path):
    with ModelServer([reply]) as server:
        terminal = start_agent([*MODEL, "Go."], cwd=project, home=home, server=server)
        terminal.delaybeforesend = None
        terminal.expect("Esc stops")
        flooded(terminal, 1.0)
        terminal.send(key)
        begun = time.monotonic()
        terminal.expect("stopping|interrupted")
        took = time.monotonic() - begun
        leave(terminal)
    print(f"\nanswered after {took:.3f} s")
    assert took < PATIENCE


def test_at_the_prompt_nothing_is_done(project: Path, home: Path):
    with ModelServer([]) as server:
        terminal = start_agent(MODEL, cwd=project, home=home, server=server)
        terminal.expect(PROMPT)
        settled(terminal)
        before = switches(terminal.pid)
        settled(terminal)
        after = switches(terminal.pid)
        terminal.sendeof()
        terminal.wait()
        terminal.close()
    assert after == before


def settled(terminal: Any) -> None:
    """Wait until nothing was written for a while."""
    while terminal.expect([r".+", pexpect.TIMEOUT], timeout=QUIET) == 0:
        pass


def switches(pid: int) -> list[int]:
    """How often each thread has waited for something so far."""
    told = [path.read_text() for path in sorted(Path(f"/proc/{pid}/task").glob("*/status"))]
    return [
        int(line.split()[1])
        for text in told
        for line in text.splitlines()
        if line.startswith("voluntary_ctxt_switches")
    ]

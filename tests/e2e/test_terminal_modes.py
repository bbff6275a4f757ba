"""However the program ends, the terminal is as it was: its mode, its cursor, how it pastes."""

import os
import re
import signal
import sys
import termios
import time
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from testbed.replies import Call, Hang, Say
from testbed.run_agent import command, environment
from testbed.server import ModelServer
from testbed.terminals import PROMPT

MODEL = ["-m", "anthropic/test-model"]
SLEEP = Call("execute_command", {"command": "sleep 60"})
BUSY = Call("execute_command", {"command": "trap '' TERM; echo deaf; sleep 60 & wait; wait"})
HELD = '(echo "pid:$(exec sh -c "echo \\$PPID")"; exec "$@"); echo ended; read -r line'
"""A shell that keeps the terminal when the program in it is gone."""
SECONDS = 10
LEFT = {"2004": "l", "25": "h"}
"""Private modes as they are to be left: text is pasted as it is, the cursor is seen."""


class Held:
    """The program in a terminal that goes on without it."""

    def __init__(self, terminal: Any) -> None:
        self.terminal = terminal
        self.before = self.mode()
        terminal.expect(r"pid:(\d+)")
        self.pid = int(terminal.match[1])

    def mode(self) -> list[Any]:
        return termios.tcgetattr(self.terminal.child_fd)

    def kill(self) -> None:
        assert self.mode() != self.before
        os.kill(self.pid, signal.SIGKILL)

    def assert_restored(self) -> None:
        self.terminal.expect("ended")
        self.assert_mode_restored()

    def assert_left(self) -> None:
        """The shell and what watches over the terminal are two: either may have been first."""
        self.terminal.expect("ended")
        shown = self.terminal.before + self.terminal.buffer
        while {mode: last(mode, shown) for mode in LEFT} != LEFT:
            shown += self.terminal.read_nonblocking(4096, SECONDS)
        self.assert_mode_restored()

    def assert_mode_restored(self) -> None:
        deadline = time.monotonic() + SECONDS
        while self.mode() != self.before and time.monotonic() < deadline:
            self.terminal.expect([import_module("pexpect").TIMEOUT, "nothing"], timeout=0.02)
        assert self.mode() == self.before


def last(mode: str, shown: str) -> str:
    """Return how a private mode was left: set (h), reset (l), or not spoken of."""
    return "".join(re.findall(rf"\x1b\[\?{mode}([hl])", shown)[-1:])


@contextmanager
def held(*args: str, project: Path, home: Path, server: ModelServer) -> Iterator[Held]:
    pexpect: Any = import_module("pexpect")
    terminal = pexpect.spawn(
        "/bin/sh",
        ["-c", HELD, "sh", sys.executable, *command([*MODEL, *args])[1:]],
        cwd=str(project),
        env=environment(home, server),
        encoding="utf-8",
        dimensions=(24, 80),
        timeout=60,
    )
    try:
        yield Held(terminal)
    finally:
        terminal.close(force=True)


WHERE = {
    "at the prompt": ([], [], PROMPT),
    "at a question": ([Say(calls=[SLEEP])], ["Go."], r"\[y\]es"),
    "at work": ([Hang()], ["Go."], "Esc stops"),
    "with a command running": ([Say(calls=[SLEEP])], ["-y", "Go."], "Esc stops"),
}


@pytest.mark.unverified  # what is open is settled when somebody goes on with it
@pytest.mark.invariant("U3")
@pytest.mark.parametrize(("script", "args", "seen"), WHERE.values(), ids=WHERE)
def test_it_is_killed(script: list[Say], args: list[str], seen: str, project: Path, home: Path):
    with (
        ModelServer(script) as server,
        held(*args, project=project, home=home, server=server) as one,
    ):
        one.terminal.expect(seen)
        one.kill()
        one.assert_left()


@pytest.mark.unverified  # as above
@pytest.mark.invariant("U3")
def test_it_is_left_by_a_third_ctrl_c(project: Path, home: Path):
    with (
        ModelServer([Say(calls=[BUSY])]) as server,
        held("-y", "Go.", project=project, home=home, server=server) as one,
    ):
        one.terminal.expect("Esc stops")
        one.terminal.expect("deaf")
        ended = 1
        while ended:
            os.kill(one.pid, signal.SIGINT)
            ended = one.terminal.expect(["ended", import_module("pexpect").TIMEOUT], timeout=0.2)
        one.assert_mode_restored()


@pytest.mark.invariant("U3")
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_it_is_told_to_end(number: signal.Signals, project: Path, home: Path):
    with (
        ModelServer([Hang()]) as server,
        held("Go.", project=project, home=home, server=server) as one,
    ):
        one.terminal.expect("Esc stops")
        os.kill(one.pid, number)
        one.assert_restored()


@pytest.mark.invariant("U3")
def test_it_is_left(project: Path, home: Path):
    with (
        ModelServer([]) as server,
        held(project=project, home=home, server=server) as one,
    ):
        one.terminal.expect(PROMPT)
        one.terminal.sendeof()
        one.assert_restored()


@pytest.mark.parametrize("until", ["pid", "approval"], ids=["at once", "a little later"])
def test_what_is_typed_before_there_is_a_prompt_is_sent(until: str, project: Path, home: Path):
    with (
        ModelServer([Say("Four.")]) as server,
        held(project=project, home=home, server=server) as one,
    ):
        if until != "pid":
            one.terminal.expect(until)
        one.terminal.send("What is 2 + 2?\r")
        one.terminal.expect("Four")
        one.terminal.expect(PROMPT)
        one.terminal.sendeof()
        one.assert_restored()
    assert server.violations == []

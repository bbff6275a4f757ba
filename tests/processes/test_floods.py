"""Whatever a command prints, memory stays bounded and an interruption is answered at once."""

import asyncio
import os
import sys
import time
from pathlib import Path

import pytest

from agent_cli.processes._output import LIMIT
from agent_cli.processes.run import Finished, Processes

MIB = 1024 * 1024
FLOODS = [
    pytest.param("yes", id="lines"),
    pytest.param("cat /dev/zero", id="NUL, and no line ever ends"),
    pytest.param(r"yes $'\r\b\r' | tr -d '\n'", id="a line written over and over"),
    pytest.param(r"yes $'\xff\xfe\xc3' | tr -d '\n'", id="no UTF-8"),
]


def environ() -> dict[str, str]:
    return {"PATH": os.environ["PATH"], "SHELL": "/bin/bash"}


def resident() -> int:
    """Bytes of memory that we hold."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


@pytest.mark.invariant("R3")
@pytest.mark.parametrize("command", FLOODS)
def test_memory_stays_bounded(command: str, tmp_path: Path):
    async def flood() -> Finished:
        async with Processes(environ(), tmp_path / "spill") as processes:
            return await processes.run(command, cwd=tmp_path, timeout=2)

    before = resident()
    finished = asyncio.run(flood())
    assert resident() - before < 64 * MIB
    assert len(finished.output) < LIMIT + 100
    if finished.spilled is not None:  # what is written over never becomes a line
        assert Path(finished.spilled).stat().st_size <= 64 * MIB


@pytest.mark.invariant("R3")
def test_a_line_of_a_hundred_megabytes_is_survived(tmp_path: Path):
    program = "import sys\nfor _ in range(100): sys.stdout.write('x' * 2**20)\nprint('end')"

    async def run() -> Finished:
        async with Processes(environ()) as processes:
            return await processes.run([sys.executable, "-c", program], cwd=tmp_path)

    before = resident()
    finished = asyncio.run(run())
    assert finished.exit_code == 0
    assert finished.output.endswith("xend\n")
    assert resident() - before < 64 * MIB


@pytest.mark.invariant("R3", "L3")
@pytest.mark.parametrize("command", FLOODS)
def test_an_interruption_is_answered_at_once(command: str, tmp_path: Path):
    """The loop comes round in a fifth of a second while it rains, whatever it rains."""

    async def scenario() -> float:
        async with Processes(environ()) as processes:
            raining = asyncio.Event()
            running = asyncio.create_task(
                processes.run(command, cwd=tmp_path, on_output=lambda _: raining.set())
            )
            await raining.wait()
            answered: list[float] = []
            for _ in range(20):  # each is a key that is pressed while the output flows
                pressed = time.monotonic()
                await asyncio.sleep(0)
                answered.append(time.monotonic() - pressed)
            running.cancel()
            with pytest.raises(asyncio.CancelledError):
                await running
            return max(answered)

    assert asyncio.run(scenario()) < 0.2

"""The warden and its keepers: what they leave, and what happens when somebody kills them."""

import asyncio
import os
import signal
import sys
from collections.abc import Awaitable, Callable
from contextlib import suppress
from pathlib import Path

import pytest
from testbed.hiding import Hidden, write

from agent_cli.processes import tree
from agent_cli.processes.background import MOST, Standing
from agent_cli.processes.run import Processes


def within(folder: Path, scenario: Callable[[Processes], Awaitable[None]]) -> None:
    async def run() -> None:
        environ = {"PATH": os.environ["PATH"], "SHELL": "/bin/bash", "OPENAI_API_KEY": "canary"}
        async with Processes(environ, folder / "spill") as processes:
            await scenario(processes)

    asyncio.run(run())


def children(parent: int) -> list[int]:
    return [
        int(entry.name)
        for entry in Path("/proc").iterdir()
        if entry.name.isdecimal() and (read := tree.read(int(entry.name))) and read[0] == parent
    ]


def of(pid: int, name: str) -> str:
    return Path(f"/proc/{pid}/{name}").read_text()


def zombies() -> list[str]:
    """The states of all processes that only wait for us, or for our warden, to notice."""
    found = []
    for entry in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):  # gone meanwhile
            state, parent = (entry / "stat").read_text().rpartition(")")[2].split()[:2]
            if state == "Z" and int(parent) in {os.getpid(), warden()}:
                found.append(entry.name)
    return found


def kill(pid: int) -> None:
    """Return when it is dead; it stays a zombie."""
    os.kill(pid, signal.SIGKILL)
    os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT)


def warden() -> int:
    """Return the latest; one of another test may not have been collected yet."""
    return max(pid for pid in children(os.getpid()) if of(pid, "comm") == "agent-keeper\n")


def test_nothing_is_started_before_the_first_command(tmp_path: Path):
    before = children(os.getpid())

    async def scenario(processes: Processes) -> None:
        assert children(os.getpid()) == before
        await processes.run("true", cwd=tmp_path)
        assert children(os.getpid()) != before

    within(tmp_path, scenario)
    assert children(os.getpid()) == before


def test_a_command_inherits_nothing_but_its_three_streams(tmp_path: Path):
    async def scenario(processes: Processes) -> None:
        finished = await processes.run("echo /proc/self/fd/*", cwd=tmp_path)
        names = finished.output.split()
        assert {name.rpartition("/")[2] for name in names} <= {"0", "1", "2", "3"}  # 3 lists them
        ignored = await processes.run("grep SigIgn /proc/self/status", cwd=tmp_path)
        of_the_c_library = 0b11 << 31  # its signals 32 and 33 are its own affair
        assert int(ignored.output.split()[1], 16) & ~of_the_c_library == 0

    within(tmp_path, scenario)


@pytest.mark.invariant("R4")
def test_the_terminal_of_the_agent_is_out_of_reach(tmp_path: Path):
    async def scenario(processes: Processes) -> None:
        finished = await processes.run("cut -d' ' -f7 /proc/$$/stat; : >/dev/tty", cwd=tmp_path)
        assert finished.output.startswith("0\n")
        assert finished.exit_code != 0

    within(tmp_path, scenario)


@pytest.mark.invariant("R5")
def test_nobody_who_waits_for_commands_knows_a_key(tmp_path: Path):
    async def scenario(processes: Processes) -> None:
        process_id = await processes.start("sleep 60", cwd=tmp_path)
        for pid in (warden(), *children(warden()), int(process_id)):
            assert "canary" not in of(pid, "environ")

    within(tmp_path, scenario)


def test_a_killed_warden_is_replaced(tmp_path: Path):
    async def scenario(processes: Processes) -> None:
        await processes.run("true", cwd=tmp_path)
        kill(warden())
        assert (await processes.run("echo again", cwd=tmp_path)).output == "again\n"

    within(tmp_path, scenario)


@pytest.mark.invariant("R1")
def test_keepers_end_their_runs_when_the_warden_is_killed(tmp_path: Path):
    hidden = Hidden(tmp_path)

    async def scenario(processes: Processes) -> None:
        await processes.run(write(tmp_path), cwd=tmp_path)
        hidden.wait_until_up()
        os.kill(warden(), signal.SIGKILL)
        assert hidden.end_within(2)

    within(tmp_path, scenario)


def test_a_command_that_kills_its_keeper_is_ended(tmp_path: Path):
    async def scenario(processes: Processes) -> None:
        command = "echo up; until [ -e go ]; do sleep 0.1; done; kill -9 $PPID; exec sleep 60"
        heard = (tmp_path / "go").write_text  # not before it is known to have started
        finished = await processes.run(command, cwd=tmp_path, on_output=heard)
        assert finished.signal == signal.SIGKILL

    within(tmp_path, scenario)


def test_a_shell_that_kills_its_keeper_does_nothing_more(tmp_path: Path):
    async def scenario(processes: Processes) -> None:
        command = "echo $$; sleep 0.2; kill -9 $PPID; sleep 60; touch more"
        finished = await processes.run(command, cwd=tmp_path)
        assert tree.read(int(finished.output)) is None
        assert not (tmp_path / "more").exists()

    within(tmp_path, scenario)


def test_no_zombies_are_left(tmp_path: Path):
    async def scenario(processes: Processes) -> None:
        for _ in range(3):
            await processes.run("sleep 60 & kill $!; true", cwd=tmp_path)
        ended = await processes.start("true", cwd=tmp_path)
        await processes.background.poll(ended, wait=60)
        assert zombies() == []

    within(tmp_path, scenario)


def test_the_end_of_a_program_concerns_until_it_has_been_seen(tmp_path: Path):
    async def scenario(processes: Processes) -> None:
        background = processes.background
        ends = await processes.start("read line", cwd=tmp_path)
        await background.poll(ends, wait=60)
        stays = await processes.start("sleep 60", cwd=tmp_path)
        assert background.standing() == (Standing(stays, "sleep 60", running=True),)
        os.kill(int(stays), signal.SIGKILL)
        while background.running():  # noqa: ASYNC110 - nobody tells of an end
            await asyncio.sleep(0)
        assert background.standing() == (Standing(stays, "sleep 60", running=False),)
        await background.stop(stays)
        assert background.standing() == ()

    within(tmp_path, scenario)


def test_too_many_in_the_background_are_refused(tmp_path: Path):
    async def scenario(processes: Processes) -> None:
        started = [await processes.start(["sleep", "60"], cwd=tmp_path) for _ in range(MOST)]
        assert processes.background.running() == dict.fromkeys(started, "sleep 60")
        with pytest.raises(ChildProcessError, match="stop one"):
            await processes.start("sleep 60", cwd=tmp_path)
        await processes.background.stop(started[0])
        await processes.start("sleep 60", cwd=tmp_path)

    within(tmp_path, scenario)


def test_what_is_forgotten_ends_all_the_same(tmp_path: Path):
    """Whoever drops it without closing it leaves nothing running."""
    hidden = Hidden(tmp_path)
    processes = Processes({"PATH": os.environ["PATH"]})
    asyncio.run(processes.run(write(tmp_path), cwd=tmp_path))
    hidden.wait_until_up()
    del processes
    assert hidden.processes() == []


def open_files() -> int:
    return len(list(Path("/proc/self/fd").iterdir()))


def test_a_warden_that_cannot_start_leaves_nothing_open(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    async def scenario(processes: Processes) -> None:
        before = open_files()
        monkeypatch.setattr(sys, "executable", "/absent/python")
        with pytest.raises(FileNotFoundError):
            await processes.run("true", cwd=tmp_path)
        assert open_files() == before

    within(tmp_path, scenario)

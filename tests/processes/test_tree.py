"""What a command has started ends with it, however it hides."""

import asyncio
import os
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest

from agent_cli.processes import tree
from agent_cli.processes.run import Finished, Processes

DAEMON = """
import os, sys, time
if os.fork(): os._exit(0)
os.setsid()
if os.fork(): os._exit(0)
print(os.getpid(), flush=True)
time.sleep(60)
"""
RUNAWAY = """
import os, signal, time
signal.signal(signal.SIGTERM, signal.SIG_IGN)
end = time.monotonic() + 30
while time.monotonic() < end:
    if os.fork(): os._exit(0)
    os.setsid()
"""
TREES = [
    pytest.param("echo $$; sleep 60", id="the shell"),
    pytest.param("sleep 60 & echo $!; wait", id="a child"),
    pytest.param("(sleep 60 & echo $!; wait); true", id="a grandchild"),
    pytest.param("setsid sleep 60 & echo $!; wait", id="a child in a session of its own"),
    pytest.param("set -m; sleep 60 & echo $!; wait", id="a child in a group of its own"),
    pytest.param(f"'{sys.executable}' -c '{DAEMON}'; sleep 60", id="a daemon without parents"),
    pytest.param("trap '' TERM; echo $$; while :; do sleep 60; done", id="one that will not"),
]


def lives(pid: int) -> bool:
    return tree.read(pid) is not None


def environ() -> dict[str, str]:
    return {"PATH": os.environ["PATH"], "SHELL": "/bin/bash"}


async def cancelled_when_ready(command: str, cwd: Path) -> int:
    """Run until the command has printed a process id, then cancel; return the id."""
    ready: asyncio.Future[int] = asyncio.get_running_loop().create_future()

    def heard(text: str) -> None:
        if not ready.done():
            ready.set_result(int(text.split(maxsplit=1)[0]))

    async with Processes(environ()) as processes:
        running = asyncio.create_task(processes.run(command, cwd=cwd, on_output=heard))
        pid = await ready
        running.cancel()
        with pytest.raises(asyncio.CancelledError):
            await running
        assert not lives(pid)
    return pid


@pytest.mark.invariant("R1")
@pytest.mark.parametrize("command", TREES)
def test_cancelling_ends_the_whole_tree(command: str, tmp_path: Path):
    began = time.monotonic()
    pid = asyncio.run(cancelled_when_ready(command, tmp_path))
    assert not lives(pid)
    assert time.monotonic() - began < 10


def run_out_of_time(command: str, cwd: Path) -> Finished:
    async def scenario() -> Finished:
        async with Processes(environ()) as processes:
            finished = await processes.run(command, cwd=cwd, timeout=0.5)
            assert not finished.output[:1].isdecimal() or not lives(int(finished.output.split()[0]))
            return finished

    return asyncio.run(scenario())


@pytest.mark.invariant("R1")
@pytest.mark.parametrize("command", TREES)
def test_running_out_of_time_ends_the_whole_tree(command: str, tmp_path: Path):
    finished = run_out_of_time(command, tmp_path)
    assert finished.timed_out
    assert finished.exit_code is None


def test_who_runs_from_process_to_process_is_caught(tmp_path: Path):
    command = f"'{sys.executable}' -c '{RUNAWAY}' {tmp_path} & wait; sleep 60"
    assert run_out_of_time(command, tmp_path).timed_out
    assert not [command for command in commands() if str(tmp_path).encode() in command]


def test_a_command_may_say_goodbye(tmp_path: Path):
    finished = run_out_of_time("trap 'echo bye; exit 0' TERM; sleep 60 & wait", tmp_path)
    assert finished.output == "bye\n"
    assert finished.timed_out


def test_who_prints_for_ever_is_ended(tmp_path: Path):
    finished = run_out_of_time("yes", tmp_path)
    assert finished.timed_out
    assert "characters omitted" in finished.output


def test_a_second_cancellation_kills_at_once(tmp_path: Path):
    async def impatient(processes: Processes) -> None:
        ready = asyncio.Event()
        command = "trap 'echo stubborn' TERM; echo $$; while :; do sleep 1; done"
        heard: list[str] = []

        def hear(text: str) -> None:
            heard.append(text)
            ready.set()

        running = asyncio.create_task(processes.run(command, cwd=tmp_path, on_output=hear))
        await ready.wait()
        running.cancel()
        ready.clear()
        await ready.wait()
        running.cancel()
        with pytest.raises(asyncio.CancelledError):
            await running
        assert not lives(int(heard[0]))

    async def scenario() -> None:
        async with Processes(environ()) as processes:
            await impatient(processes)

    asyncio.run(scenario())


@pytest.mark.parametrize("steps", range(12))
def test_cancelling_while_it_starts_leaves_nothing(steps: int, tmp_path: Path):
    async def scenario() -> None:
        async with Processes(environ()) as processes:
            await processes.run("true", cwd=tmp_path)
            command = f"sleep 61 & sleep 61; : {tmp_path}"
            running = asyncio.create_task(processes.run(command, cwd=tmp_path))
            for _ in range(steps):
                await asyncio.sleep(0)
            running.cancel()
            with pytest.raises(asyncio.CancelledError):
                await running
            assert not [pid for pid in commands() if str(tmp_path).encode() in pid]

    asyncio.run(scenario())


def commands() -> list[bytes]:
    """The command lines of all processes."""
    found = []
    for entry in Path("/proc").iterdir():
        with suppress(OSError):
            found.append((entry / "cmdline").read_bytes())
    return found


def test_without_proc_the_group_is_ended(tmp_path: Path):
    with subprocess.Popen(["sleep", "60"], start_new_session=True) as process:
        absent = str(tmp_path / "no-proc")
        tree.Tree(os.getpid(), session=process.pid, proc=absent).end(reaped(process))
        assert process.wait() == -15


def reaped(process: subprocess.Popen[bytes]) -> Callable[[float], bool]:
    def hurry(seconds: float) -> bool:
        with suppress(subprocess.TimeoutExpired):
            process.wait(seconds)
        return False

    return hurry


def test_an_empty_tree_has_no_members():
    """Session 0 is that of the kernel's processes, and of others that are none of ours."""
    assert tree.Tree(-1).members() == {}
    tree.Tree(-1, proc="/absent").kill()


def test_a_process_id_that_was_given_to_another_is_left_alone():
    """A member is known by its start as well as by its number."""
    me = tree.read(os.getpid())
    assert me is not None
    former = tree.Tree(-1)
    former._seen = {os.getpid(): b"1"}
    former.kill()
    tree._send(2**22 + 1, 15)


def test_a_member_is_found_by_its_mark(tmp_path: Path):
    mark = f"{tree.MARK}={tmp_path}"
    with subprocess.Popen(["sleep", "60"], env={tree.MARK: str(tmp_path)}) as process:
        found = tree.Tree(-1, mark=mark.encode())
        assert list(found.members()) == [process.pid]
        found.kill()
        assert process.wait() == -9

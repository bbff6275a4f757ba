"""kill -9 at any moment: every call has exactly one result, and no file is half written."""

import json
import random
import signal
import time
from pathlib import Path

import pytest
from testbed.replies import Call, Delivery, Say
from testbed.run_agent import run_agent, start_process
from testbed.server import ModelServer

OLD, NEW = "old\n" * 2000, "new\n" * 2000
ROUNDS = 5
LONGEST = 0.9
"""Seconds after which a run has usually ended by itself."""

DONE = Call("attempt_completion", {"result": "All done."})
WORK = [
    Call("read_file", {"files": [{"path": "README.md"}]}),
    Call("write_to_file", {"path": "file.txt", "content": NEW}),
    Call("execute_command", {"command": "echo run >> runs.txt"}),
    Call("update_todo_list", {"todos": "[x] one"}),
]
SCRIPT = [
    Say("Working.", calls=WORK, delivery=Delivery(between=0.002)),
    Say(calls=[*WORK[:2], DONE]),
]


def killed_run(project: Path, home: Path, after: float) -> None:
    with ModelServer(SCRIPT) as server:
        process = start_process(
            ["run", "-y", "-m", "anthropic/test-model", "Do it."],
            cwd=project,
            home=home,
            server=server,
        )
        assert process.stdin is not None
        process.stdin.close()
        deadline = time.monotonic() + after
        while process.poll() is None and time.monotonic() < deadline:
            time.sleep(0.001)
        process.send_signal(signal.SIGKILL)
        process.wait()
        for stream in (process.stdout, process.stderr):
            assert stream is not None
            stream.close()
    assert server.violations == []


def check(project: Path, home: Path) -> None:
    with ModelServer([Say(calls=[DONE])]) as server:
        done = run_agent(["run", "-c", "Go on."], cwd=project, home=home, server=server)
    assert server.violations == []
    assert done.exit_code == 0, done.stderr
    report = json.loads(run_agent(["verify", "--json"], cwd=project, home=home).stdout)
    assert report["adds_up"], report
    assert (project / "file.txt").read_text() in (OLD, NEW)
    assert {path.name for path in project.iterdir()} <= {"README.md", "file.txt", "runs.txt"}


def kill_and_resume(seed: int, project: Path, home: Path) -> None:
    chance = random.Random(seed)
    for round_ in range(ROUNDS):
        folder = project / str(round_)
        folder.mkdir()
        (folder / "README.md").write_text("# Read me\n")
        (folder / "file.txt").write_text(OLD)
        killed_run(folder, home, chance.uniform(0.1, LONGEST))
        sessions = home.glob(f"agent/data/sessions/{round_}-*/*.jsonl")
        if any(b"\n" in path.read_bytes() for path in sessions):  # it had begun
            check(folder, home)


@pytest.mark.invariant("I1", "I4", "F9")
@pytest.mark.parametrize("seed", range(6))
def test_every_call_has_one_result_after_a_kill(seed: int, project: Path, home: Path):
    kill_and_resume(seed, project, home)


@pytest.mark.invariant("I1", "I4", "F9")
@pytest.mark.nightly
@pytest.mark.parametrize("seed", range(100, 140))
def test_every_call_has_one_result_after_two_hundred_kills(seed: int, project: Path, home: Path):
    kill_and_resume(seed, project, home)

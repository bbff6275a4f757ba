"""A disk that is full stops the turn, says so, and leaves the session as it was readable before."""

import os
import resource
import subprocess
import sys
from pathlib import Path

import pexpect
import pytest
from testbed.loaded import read
from testbed.replies import Call, Say
from testbed.run_agent import command, environment, run_agent, start_agent
from testbed.server import ModelServer

MODEL = ["-m", "anthropic/test-model"]
DONE = Call("attempt_completion", {"result": "All done."})
ROOM = 16 * 1024

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="limits another process's files")


def elsewhere(home: Path) -> dict[str, str]:
    """Bytecode that the limit would cut short must not be met again by others."""
    return {"PYTHONPYCACHEPREFIX": str(home / "bytecode")}


@pytest.fixture(autouse=True)
def unmeasured(monkeypatch: pytest.MonkeyPatch) -> None:
    """What measures coverage has no room to write to either."""
    for name in [name for name in os.environ if name.startswith("COVERAGE_")]:
        monkeypatch.delenv(name)


def session_of(home: Path) -> Path:
    (path,) = (home / "agent/data/sessions").glob("*/*.jsonl")
    return path


def goes_on(project: Path, home: Path) -> None:
    """See that the session adds up, and that its task can be finished when there is room."""
    assert read(session_of(home)).damage == ""
    assert run_agent(["verify"], cwd=project, home=home).exit_code == 0
    with ModelServer([Say(calls=[DONE])]) as server:
        done = run_agent(["run", "-c", "-y", "Go on."], cwd=project, home=home, server=server)
    assert (done.exit_code, done.stdout) == (0, "All done.\n"), done.stderr
    assert server.violations == []


def test_an_answer_that_does_not_fit_ends_the_run(project: Path, home: Path):
    limited = ["bash", "-c", f'ulimit -f {ROOM // 1024}; exec "$@"', "-"]
    args = [*limited, *command(["run", "-y", *MODEL, "Do it."])]
    env = elsewhere(home)
    with ModelServer([Say("x" * ROOM)]) as server:
        done = subprocess.run(
            args,
            cwd=project,
            env=environment(home, server, env),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
    assert done.returncode == 52, done.stderr
    assert "cannot write the session" in done.stderr
    assert "Traceback" not in done.stderr
    goes_on(project, home)


def test_a_person_is_told_before_the_program_ends(project: Path, home: Path):
    env = elsewhere(home)
    with ModelServer([Say("I see.")]) as server:
        terminal = start_agent([*MODEL, "Do it."], cwd=project, home=home, server=server, env=env)
        terminal.expect("I see")
        terminal.expect(">[ \x08]")
        size = session_of(home).stat().st_size
        resource.prlimit(terminal.pid, resource.RLIMIT_FSIZE, (size, size))
        terminal.send("And now?\r")
        terminal.expect("cannot write the session")
        terminal.expect(pexpect.EOF)
        assert "Traceback" not in terminal.before
        terminal.wait()
        assert terminal.exitstatus == 52
        terminal.close()
    goes_on(project, home)

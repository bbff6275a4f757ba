"""A start in a hostile repository, seen by the system: nothing is executed but ourselves."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from testbed.hostile_repository import hostile_repository
from testbed.replies import Call, Say
from testbed.run_agent import environment
from testbed.server import ModelServer

STRACE = shutil.which("strace")
DONE = Call("attempt_completion", {"result": "All done."})
EXECUTED = re.compile(r'exec(?:ve|veat)\((?:[^"]*)"([^"]+)".*\)\s+= 0$')
OPENED = re.compile(r"open(?:at2?)?\(.*\) = \d+<([^>]+)>")

pytestmark = pytest.mark.skipif(
    STRACE is None, reason="strace is not installed: no other witness sees every program started"
)


@pytest.fixture
def hostile(tmp_path: Path) -> Path:
    return hostile_repository(tmp_path / "hostile", mark=tmp_path / "executed")


def traced(
    args: list[str], root: Path, home: Path, server: ModelServer, *, status: int = 0
) -> tuple[str, str]:
    """Run as the installed program does, which has no folder of the user's among its modules."""
    log = home.parent / "trace"
    assert STRACE is not None
    ours = [sys.executable, "-P", "-m", "agent_cli", *args]
    traced_calls = "trace=execve,execveat,open,openat,openat2"
    done = subprocess.run(
        [STRACE, "-f", "-y", "-qq", "-s", "4096", "-e", traced_calls, "-o", str(log), "--", *ours],
        cwd=root,
        env=environment(home, server),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )
    if "PTRACE" in done.stderr or "ptrace" in done.stderr:
        pytest.skip("this system does not let processes be traced")
    assert done.returncode == status, done.stderr
    return log.read_text(errors="replace"), done.stderr


def executed(trace: str) -> list[str]:
    return [found[1] for line in trace.splitlines() if (found := EXECUTED.search(line))]


@pytest.mark.parametrize("flags", [[], ["--yolo"], ["--json"]], ids=["plain", "yolo", "json"])
def test_nothing_is_executed_but_ourselves(hostile: Path, tmp_path: Path, flags: list[str]):
    with ModelServer([Say(calls=[DONE])]) as server:
        args = ["run", "-m", "anthropic/test-model", *flags, "Do it."]
        trace, said = traced(args, hostile, tmp_path / "home", server)
    assert executed(trace) == [sys.executable]
    assert not (tmp_path / "executed").exists()
    assert "this folder is not trusted" in said


@pytest.mark.parametrize("name", ["models", "sessions", "trust"])
def test_nothing_is_executed_where_the_folder_is_looked_at(
    hostile: Path, tmp_path: Path, name: str
):
    with ModelServer([]) as server:
        args = [name, "--show"] if name == "trust" else [name]
        trace, _ = traced(args, hostile, tmp_path / "home", server, status=int(name == "trust"))
    assert executed(trace) == [sys.executable]
    assert not (tmp_path / "executed").exists()


def test_the_doctor_tries_the_sandbox_and_nothing_of_the_folder(hostile: Path, tmp_path: Path):
    with ModelServer([]) as server:
        trace, _ = traced(["doctor"], hostile, tmp_path / "home", server)
    assert not [name for name in executed(trace) if not Path(name).is_absolute()]
    assert not [name for name in executed(trace) if Path(name).is_relative_to(hostile)]
    assert not (tmp_path / "executed").exists()


def test_no_file_of_the_folders_is_opened_but_those_that_are_said(hostile: Path, tmp_path: Path):
    """What would act is read to be named; instructions and ignore files have effect; no other.

    A session that is kept also reads whatever it may have to put back.
    """
    with ModelServer([Say(calls=[DONE])]) as server:
        trace, _ = traced(
            ["run", "--ephemeral", "-m", "anthropic/m", "Do it."],
            hostile,
            tmp_path / "home",
            server,
        )
    real = os.path.realpath(hostile)
    lines = [line for line in trace.splitlines() if "O_DIRECTORY" not in line]
    opened = {found[1] for line in lines if (found := OPENED.search(line))}
    ours = {os.path.relpath(name, real) for name in opened if name.startswith(real + "/")}
    assert ours == {
        ".agent/commands/x.md", ".agent/config.toml", ".agent/hooks/start.sh",
        ".agent/modes/code.md", ".agents/skills/x/SKILL.md", ".mcp.json", "AGENTS.md",
        "trap.sh",  # named by the settings
    }  # fmt: skip


def test_the_witness_sees_a_program_that_is_started(tmp_path: Path):
    log = tmp_path / "trace"
    assert STRACE is not None
    ours = [sys.executable, "-c", "import subprocess; subprocess.run(['true'])"]
    subprocess.run(
        [STRACE, "-f", "-qq", "-e", "trace=execve", "-o", str(log), "--", *ours], check=True
    )
    assert [Path(name).name for name in executed(log.read_text())] == [
        Path(sys.executable).name, "true",
    ]  # fmt: skip

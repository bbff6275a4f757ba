"""`agent tool` whose result nobody reads: the call is made, and its status is said."""

import os
import subprocess
from pathlib import Path

import pytest
from testbed.run_agent import command, environment

WRITE = ["tool", "write_to_file", '{"path":"new.txt","content":"hello\\n"}']


@pytest.mark.parametrize("format_", ["json", "text"])
@pytest.mark.parametrize("answer", ["--yes", "--no"])
def test_a_reader_that_left_changes_nothing(project: Path, home: Path, format_: str, answer: str):
    reading, writing = os.pipe()
    os.close(reading)
    done = run(writing, [*WRITE, answer, "--format", format_], project, home)
    os.close(writing)
    assert done.returncode == (0 if answer == "--yes" else 4)
    assert (project / "new.txt").exists() == (answer == "--yes")
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("format_", ["json", "text"])
def test_a_full_disk_changes_nothing(project: Path, home: Path, format_: str):
    if not Path("/dev/full").exists():
        pytest.skip("this system has no /dev/full")
    with Path("/dev/full").open("w") as full:
        done = run(full.fileno(), [*WRITE, "--yes", "--format", format_], project, home)
    assert done.returncode == 0
    assert (project / "new.txt").read_text() == "hello\n"
    assert "Traceback" not in done.stderr
    assert ("cannot be written" in done.stderr) == (format_ == "json")


def run(
    stdout: int, args: list[str], project: Path, home: Path
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command(args),
        cwd=project,
        env=environment(home, None),
        stdin=subprocess.DEVNULL,
        stdout=stdout,
        stderr=subprocess.PIPE,
        text=True,
        timeout=60,
        check=False,
    )

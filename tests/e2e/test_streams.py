"""Standard streams as they come: closed, full, of another encoding, with bytes that are no text."""

import json
import os
import subprocess
from pathlib import Path

import pytest
from testbed.replies import Call, Say
from testbed.run_agent import Completed, command, environment, run_agent
from testbed.server import ModelServer

RUN = ["run", "-y", "-m", "anthropic/test-model"]
DONE = Call("attempt_completion", {"result": "Fertig: ✓ grün."})
WRITE = Call("write_to_file", {"path": "new.txt", "content": "hello\n"})
SCRIPT = [Say(calls=[WRITE]), Say(calls=[DONE])]


def in_shell(redirection: str, args: list[str], project: Path, home: Path) -> Completed:
    """Run it behind a redirection."""
    words = " ".join(f"'{word}'" for word in command(args))
    with ModelServer(SCRIPT) as server:
        done = subprocess.run(
            ["bash", "-c", f"{words} {redirection}; exit ${{PIPESTATUS[0]}}"],
            cwd=project,
            env=environment(home, server),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            check=False,
            text=True,
        )
    return Completed(done.returncode, done.stdout, done.stderr)


@pytest.mark.invariant("U4")
@pytest.mark.parametrize("format_", ["text", "json", "stream-json"])
@pytest.mark.parametrize(
    "redirection", [">&-", "2>&-", "<&-", ">/dev/full", "2>/dev/full", "| true", "| head -c 5"]
)
def test_the_work_does_not_depend_on_its_reader(
    redirection: str, format_: str, project: Path, home: Path
):
    args = [*RUN, "--output-format", format_, "Do it."]
    assert in_shell(redirection, args, project, home).exit_code == 0
    assert (project / "new.txt").read_text() == "hello\n"
    report = json.loads(run_agent(["verify", "--json"], cwd=project, home=home).stdout)
    assert report["adds_up"], report


@pytest.mark.invariant("U4")
def test_a_full_standard_output_is_told(project: Path, home: Path):
    done = in_shell(">/dev/full", [*RUN, "a"], project, home)
    assert "cannot be written: No space" in done.stderr


def test_another_encoding_loses_no_character(project: Path, home: Path):
    with ModelServer(SCRIPT) as server:
        done = run_agent(
            [*RUN, "Do it."],
            cwd=project,
            home=home,
            server=server,
            env={"PYTHONIOENCODING": "ascii", "LC_ALL": "C", "PYTHONUTF8": "0"},
        )
    assert (done.exit_code, done.stdout) == (0, "Fertig: \\u2713 gr\\xfcn.\n"), done.stderr


def test_a_prompt_is_read_as_utf8_in_every_locale(project: Path, home: Path):
    env = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    with ModelServer(SCRIPT) as server:
        done = run_agent([*RUN, "Größe"], cwd=project, home=home, server=server, env=env)
    assert done.exit_code == 0, done.stderr
    assert "Größe" in str(server.requests[0].body["messages"])


def test_bytes_that_are_no_text_are_replaced(project: Path, home: Path):
    with ModelServer(SCRIPT) as server:
        done = subprocess.run(
            [*command(RUN), b"argument \xff"],
            cwd=project,
            env=environment(home, server),
            input=b"input \xfe",
            capture_output=True,
            check=False,
        )
    assert done.returncode == 0, done.stderr
    said = str(server.requests[0].body["messages"])
    assert "argument \N{REPLACEMENT CHARACTER}" in said
    assert "input \N{REPLACEMENT CHARACTER}" in said


def test_a_working_directory_of_any_name_is_worked_in(tmp_path: Path, home: Path):
    project = Path(os.fsdecode(os.fsencode(tmp_path) + b"/odd \xff"))
    project.mkdir()
    with ModelServer(SCRIPT) as server:
        done = run_agent([*RUN, "--json", "Do it."], cwd=project, home=home, server=server)
        assert done.exit_code == 0, done.stderr
    assert server.violations == []
    assert (project / "new.txt").exists()
    assert json.loads(done.stdout.splitlines()[0])["cwd"].endswith("odd \\xff")
    assert len(run_agent(["sessions"], cwd=project, home=home).stdout.splitlines()) == 1
    assert run_agent(["verify"], cwd=project, home=home).exit_code == 0

"""Commands behind a wall, in whole runs."""

import json
import os
from pathlib import Path

import pytest
from testbed.one_shot import results, run
from testbed.replies import Call, Say
from testbed.run_agent import run_agent

from agent_cli.processes.sandbox import Wall, candidates

WALLS = [wall for wall, _ in candidates(os.environ)]
DONE = Call("attempt_completion", {"result": "All done."})

pytestmark = pytest.mark.skipif(not WALLS, reason="this host has no sandbox")


def script(command: str) -> list[Say]:
    return [Say(calls=[Call("execute_command", {"command": command})]), Say(calls=[DONE])]


def test_a_command_cannot_leave_the_workspace(project: Path, home: Path, tmp_path: Path):
    command = f"where={tmp_path}; echo in > in.txt; echo out > $where/out.txt"
    done, server = run(script(command), project, home, "--sandbox", "workspace", "--json")
    assert results(done)[0] == ("execute_command", "ok", None)
    assert (project / "in.txt").read_text() == "in\n"
    assert not (tmp_path / "out.txt").exists()
    assert "It ran in a sandbox: only" in json.dumps(server.requests[1].body)


@pytest.mark.parametrize("command", ["absent-program x", "./absent-program", "sub/absent x"])
def test_a_program_that_is_not_there_is_said_to_be_missing(command: str, project: Path, home: Path):
    _, server = run(script(command), project, home, "--sandbox", "workspace")
    told = json.dumps(server.requests[1].body)
    assert "Exit code: 127" in told
    assert "not found" in told
    assert "bwrap" not in told


def test_a_read_only_run_changes_nothing(project: Path, home: Path):
    done, _ = run(script("echo x > x.txt"), project, home, "--sandbox", "read-only", "--json")
    assert results(done)[0] == ("execute_command", "ok", None)
    assert not (project / "x.txt").exists()


@pytest.mark.skipif(Wall.BUBBLEWRAP not in WALLS, reason="bubblewrap is not installed")
def test_protected_names_stay_as_they_are(project: Path, home: Path):
    for folder in (".git", "vendor/part/.git", "config"):
        (project / folder).mkdir(parents=True)
        (project / folder / "config").write_text("[core]\n")
    command = "for one in .git vendor/part/.git config; do echo x >> $one/config; done"
    run(script(command), project, home, "--sandbox", "workspace")
    assert (project / ".git/config").read_text() == "[core]\n"
    assert (project / "vendor/part/.git/config").read_text() == "[core]\n"
    assert (project / "config/config").read_text() == "[core]\nx\n"


def test_a_protected_name_that_comes_to_be_is_a_failure(project: Path, home: Path):
    done, server = run(
        script("echo '[core]' > .gitmodules"), project, home, "--sandbox", "workspace", "--json"
    )
    assert results(done)[0] == ("execute_command", "failed", None)
    assert ".gitmodules" in json.dumps(server.requests[1].body)


def test_a_sandbox_of_another_name_is_refused(project: Path, home: Path):
    done, _ = run(script("true"), project, home, "--sandbox", "tight")
    assert done.exit_code == 52
    assert "sandbox.mode" in done.stderr


def test_the_doctor_says_what_is_in_force(project: Path, home: Path):
    for value, shown in [("off", "off: "), ("workspace", f"workspace, by {WALLS[0].value}")]:
        done = run_agent(["doctor"], cwd=project, home=home, env={"AGENT_SANDBOX_MODE": value})
        assert f"sandbox        {shown}" in done.stdout

"""Checks of the user run before a result is shown; what they print goes to the model."""

import json
from pathlib import Path
from typing import Any

import pytest
from testbed.one_shot import ANTHROPIC, lines, results, run
from testbed.replies import Call, Reply, Say
from testbed.run_agent import Completed, run_agent, start_agent
from testbed.server import ModelServer

from agent_cli.settings.places import config_directory

DONE = Call("attempt_completion", {"result": "All done."})
MAKE = Call("write_to_file", {"path": "new.txt", "content": "hello\n"})
WORK = Call("execute_command", {"command": "echo hello > made.txt"})
THERE = "echo looking; test -f made.txt"
GIVING_UP = [Say("No."), Say("No."), Say("No.")]
FAILED = ("attempt_completion", "failed", "check_failed")
FINISHED = ("attempt_completion", "ok", "finished")
RAN = ("execute_command", "ok", None)


def configure(home: Path, text: str) -> None:
    path = config_directory({"AGENT_HOME": str(home / "agent")}) / "config.toml"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def of_type(done: Completed, type_: str) -> list[dict[str, Any]]:
    return [line for line in lines(done) if line["type"] == type_]


@pytest.mark.parametrize("protocol", ["native", "xml"])
def test_a_result_is_shown_once_its_check_passes(protocol: str, project: Path, home: Path):
    script: list[Reply] = [Say(calls=[DONE]), Say(calls=[WORK]), Say(calls=[DONE])]
    if protocol == "xml":
        complete = Say("<attempt_completion><result>All done.</result></attempt_completion>")
        work = "<execute_command><command>echo hello > made.txt</command></execute_command>"
        script = [complete, Say(work), complete]
    args = ("--json", "--protocol", protocol, "--verify", THERE)
    done, server = run(script, project, home, *args)
    assert done.exit_code == 0, done.stderr
    assert results(done) == [FAILED, RAN, FINISHED]
    assert [
        (one["command"], one["exit_code"], one["passed"]) for one in of_type(done, "check")
    ] == [
        (THERE, 1, False),
        (THERE, 0, True),
    ]
    (shown,) = of_type(done, "completion_result")
    assert shown["evidence"]["checks"] == [{"command": THERE, "exit_code": 0}]
    told = json.dumps(server.requests[1].body)
    assert "The completion was not accepted because the check" in told
    assert "looking" in told
    assert f"- `{THERE}`" in json.dumps(server.requests[0].body)


def test_every_check_runs_and_each_failure_is_told(project: Path, home: Path):
    checks = ["--verify", "echo one; exit 4", "--verify", "true", "--verify", "echo two; exit 5"]
    done, server = run([Say(calls=[DONE]), *GIVING_UP], project, home, *checks, "--json")
    assert [one["exit_code"] for one in of_type(done, "check")] == [4, 0, 5]
    told = str(server.requests[1].body["messages"][-1])
    assert "$ echo one; exit 4" in told
    assert "$ echo two; exit 5" in told
    assert "$ true" not in told


def test_a_run_whose_check_never_passes_says_so(project: Path, home: Path):
    script = [Say(calls=[DONE]), *GIVING_UP]
    done, _ = run(script, project, home, "--verify", "exit 7")
    assert done.exit_code == 6
    assert "✗ check: exit 7 → 7" in done.stderr
    assert "the work did not pass its checks" in done.stderr
    assert "All done." not in done.stdout


def test_a_limit_is_told_before_a_check(project: Path, home: Path):
    args = ("--verify", "exit 7", "--max-turns", "1")
    done, _ = run([Say(calls=[DONE])], project, home, *args)
    assert done.exit_code == 5


def test_a_check_of_the_user_needs_no_answer(project: Path, home: Path):
    configure(home, "completion.verify = ['touch checked']")
    with ModelServer([Say(calls=[DONE])]) as server:
        args = ["run", "-m", ANTHROPIC, "--mode", "ask", "--verify", "test -f checked", "Do it."]
        done = run_agent(args, cwd=project, home=home, server=server)
    assert done.exit_code == 0, done.stderr
    assert "✓ check: test -f checked" in done.stderr


def test_a_check_that_is_denied_did_not_pass(project: Path, home: Path):
    configure(home, "approval.rules.deny = ['execute_command(touch)']")
    script = [Say(calls=[DONE]), *GIVING_UP]
    done, server = run(script, project, home, "--verify", "touch checked", "--json")
    assert done.exit_code == 6
    assert results(done) == [FAILED]
    assert not (project / "checked").exists()
    assert "settings do not allow" in json.dumps(server.requests[1].body)
    assert "had no end" in done.stdout


def test_a_folders_check_needs_trust_and_leave(project: Path, home: Path):
    (project / ".agent").mkdir()
    (project / ".agent/config.toml").write_text("completion.verify = ['touch checked']\n")
    done, _ = run([Say(calls=[DONE])], project, home)
    assert (done.exit_code, (project / "checked").exists()) == (0, False)
    with ModelServer([Say(calls=[DONE]), *GIVING_UP]) as server:
        args = ["run", "-m", ANTHROPIC, "--trust", "Do it."]
        done = run_agent(args, cwd=project, home=home, server=server)
    assert (done.exit_code, (project / "checked").exists()) == (6, False)
    done, _ = run([Say(calls=[DONE])], project, home, "--trust")
    assert (done.exit_code, (project / "checked").exists()) == (0, True)


def test_the_result_of_a_subtask_is_not_checked(project: Path, home: Path):
    delegate = Call("new_task", {"mode": "code", "message": "Do a part."})
    part = Call("attempt_completion", {"result": "A part."})
    script = [Say(calls=[delegate]), Say(calls=[part]), Say(calls=[DONE])]
    done, _ = run(script, project, home, "--json", "--verify", "true")
    assert done.exit_code == 0, done.stderr
    assert len(of_type(done, "check")) == 1
    assert [one["subtask"] for one in of_type(done, "completion_result")] == [True, False]


def test_what_was_done_is_listed_beside_the_result(project: Path, home: Path):
    script = [Say(calls=[WORK]), Say(calls=[DONE])]
    done, _ = run(script, project, home, "--verify", "true")
    assert done.stdout == "All done.\n"
    changed, ran = "  + made.txt\n", "  echo hello > made.txt → 0\n"
    shown = f"Files changed:\n{changed}Commands run:\n{ran}Checks passed:\n  ✓ true\n"
    assert shown in done.stderr
    done, _ = run(script, project, home, "--output-format", "json", "--verify", "true")
    shown = json.loads(done.stdout)["evidence"]
    assert shown["commands"] == [
        {"command": "echo hello > made.txt", "outcome": "ok", "exit_code": 0}
    ]
    assert shown["checks"] == [{"command": "true", "exit_code": 0}]


def test_a_person_sees_the_check_and_what_was_done(project: Path, home: Path):
    with ModelServer([Say(calls=[DONE]), Say(calls=[MAKE]), Say(calls=[DONE])]) as server:
        args = ["-m", ANTHROPIC, "-y", "--verify", "test -f new.txt", "Do it."]
        terminal = start_agent(args, cwd=project, home=home, server=server)
        terminal.expect("✗ check: test -f new.txt → 1")
        terminal.expect("a check did not pass")
        terminal.expect("✓ check: test -f new.txt")
        terminal.expect("Task completed")
        terminal.expect("Checks passed:")
        terminal.expect("✓ test -f new.txt")
        terminal.expect("feedback")
        terminal.close()
    assert server.violations == []

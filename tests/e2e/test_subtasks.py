"""Work that is handed to a task of its own, through the whole product.

The traps T-01 to T-04 and T-08 are what went wrong elsewhere: a parent that saw "created" instead
of the result, one that was never told, results that were lost, and calls that ran inside the child.
"""

import json
from pathlib import Path
from typing import Any

import pytest
from testbed.one_shot import lines, results, run
from testbed.replies import Call, Say
from testbed.run_agent import run_agent
from testbed.server import ModelServer
from testbed.wires_by_model import MODELS

READ = Call("read_file", {"files": [{"path": "README.md"}]})
HAND = Call("new_task", {"mode": "ask", "message": "What does it do?", "todos": "[ ] look"})
WRITE = Call("write_to_file", {"path": "a.txt", "content": "a"})
FOUND = Call("attempt_completion", {"result": "It adds numbers."})
DONE = Call("attempt_completion", {"result": "All done."})
SCRIPT = [Say(calls=[READ, HAND, WRITE]), Say(calls=[READ]), Say(calls=[FOUND]), Say(calls=[DONE])]
FINISHED = ("attempt_completion", "ok", "finished")


def told(server: ModelServer, number: int) -> str:
    return json.dumps(server.requests[number].body)


@pytest.mark.trap("T-01", "T-03")
@pytest.mark.parametrize("model", MODELS)
def test_t01_t03_the_childs_result_is_the_result_of_the_call(model: str, project: Path, home: Path):
    done, server = run(SCRIPT, project, home, "--json", model=model)
    assert done.exit_code == 0, done.stderr
    assert results(done) == [
        ("read_file", "ok", None),
        ("read_file", "ok", None),
        FINISHED,
        ("new_task", "ok", "subtask_completed"),
        ("write_to_file", "skipped", "subtask_started"),
        FINISHED,
    ]
    assert lines(done)[-1]["result"] == "All done."
    assert "The subtask is complete. Its result:\\n\\nIt adds numbers." in told(server, 3)
    assert "created" not in told(server, 3)


def test_the_child_starts_without_its_parents_history(project: Path, home: Path):
    _, server = run(SCRIPT, project, home, "--json")
    child = told(server, 1)
    assert "What does it do?" in child
    assert "Do it." not in child
    assert "write_to_file" not in [tool["name"] for tool in server.requests[1].body["tools"]]
    assert "write_to_file" in [tool["name"] for tool in server.requests[3].body["tools"]]


@pytest.mark.trap("T-08")
def test_t08_nothing_after_it_in_the_message_runs(project: Path, home: Path):
    two = [Say(calls=[HAND, WRITE, HAND]), Say(calls=[FOUND]), Say(calls=[DONE])]
    done, _ = run(two, project, home, "--json")
    assert results(done)[1:] == [
        ("new_task", "ok", "subtask_completed"),
        ("write_to_file", "skipped", "subtask_started"),
        ("new_task", "skipped", "subtask_started"),
        FINISHED,
    ]
    assert not (project / "a.txt").exists()


def test_a_completion_after_it_in_the_message_is_refused(project: Path, home: Path):
    script = [Say(calls=[HAND, DONE]), Say(calls=[FOUND]), Say(calls=[DONE])]
    done, _ = run(script, project, home, "--json")
    assert results(done)[2] == ("attempt_completion", "skipped", "subtask_started")
    assert done.exit_code == 0


def test_only_the_sessions_own_result_is_printed(project: Path, home: Path):
    done, _ = run(SCRIPT, project, home)
    assert done.stdout == "All done.\n"
    assert "subtask in mode ask: What does it do?" in done.stderr


def test_a_child_that_stops_short_fails_and_its_parent_goes_on(project: Path, home: Path):
    script = [Say(calls=[HAND]), Say("I will not."), Say("No."), Say(calls=[DONE])]
    done, server = run(script, project, home, "--json")
    assert done.exit_code == 0, done.stderr
    assert results(done) == [("new_task", "failed", "subtask_failed"), FINISHED]
    assert "Its last words:\\n\\nNo." in told(server, 3)


def test_a_child_that_is_stuck_fails(project: Path, home: Path):
    absent = Call("read_file", {"files": [{"path": "absent"}]})
    script = [Say(calls=[HAND]), *[Say(calls=[absent])] * 8, Say(calls=[DONE])]
    done, _ = run(script, project, home, "--json")
    assert results(done)[-2:] == [("new_task", "failed", "subtask_failed"), FINISHED]


@pytest.mark.invariant("I14")
def test_a_child_uses_its_share_of_the_turns_and_no_more(project: Path, home: Path):
    script = [Say(calls=[HAND]), *[Say(calls=[READ, WRITE])] * 2, Say(calls=[DONE])]
    done, server = run(script, project, home, "--json", "--max-turns", "5")
    assert results(done)[-2:] == [("new_task", "failed", "subtask_failed"), FINISHED]
    assert len(server.requests) == 4


def test_subtasks_stack_up_to_a_depth(project: Path, home: Path):
    deeper = [Say(calls=[HAND]) for _ in range(5)]
    done, _ = run([*deeper, *[Say(calls=[DONE])] * 5], project, home, "--json")
    assert done.exit_code == 0, done.stderr
    found = results(done)
    assert found[0] == ("new_task", "failed", "too_many_subtasks")
    assert found.count(("new_task", "ok", "subtask_completed")) == 4


def test_what_a_child_was_denied_shows_in_the_exit_status(project: Path, home: Path):
    command = Call("execute_command", {"command": "touch x"})
    script = [
        Say(calls=[Call("new_task", {"mode": "code", "message": "Touch it."})]),
        Say(calls=[command]),
        Say(calls=[FOUND]),
        Say(calls=[DONE]),
    ]
    with ModelServer(script) as server:
        done = run_agent(
            ["run", "-m", "anthropic/test-model", "Do it."], cwd=project, home=home, server=server
        )
    assert server.violations == []
    assert done.exit_code == 4


XML_HAND = "<new_task>\n<mode>ask</mode>\n<message>What does it do?</message>\n</new_task>"


def xml(result: str) -> Say:
    return Say(f"<attempt_completion>\n<result>{result}</result>\n</attempt_completion>")


def test_it_works_in_xml(project: Path, home: Path):
    script = [Say(XML_HAND), xml("It adds numbers."), xml("All done.")]
    done, server = run(script, project, home, "--json", "--protocol", "xml")
    assert results(done) == [FINISHED, ("new_task", "ok", "subtask_completed"), FINISHED]
    assert "It adds numbers." in told(server, 2)


REFUSED: list[tuple[dict[str, Any], str]] = [
    ({"message": "x"}, "`mode`"),
    ({"mode": "ask"}, "`message`"),
    ({"mode": "nobody", "message": "x"}, "there is no mode 'nobody'"),
    ({"mode": "ask", "message": " "}, "the message is empty"),
    ({"mode": "ask", "message": "x", "todos": "look"}, "no line is an item"),
]


@pytest.mark.parametrize(("args", "says"), REFUSED, ids=[says for _, says in REFUSED])
def test_a_bad_start_is_a_failed_call(args: dict[str, Any], says: str, project: Path, home: Path):
    script = [Say(calls=[Call("new_task", args), DONE]), Say(calls=[DONE])]
    done, server = run(script, project, home, "--json")
    assert results(done)[:2] == [
        ("new_task", "failed", "invalid_arguments"),
        ("attempt_completion", "failed", "failed_earlier"),
    ]
    assert says in told(server, 1)

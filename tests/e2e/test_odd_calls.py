"""Calls as no model should write them: one result each, and the conversation goes on."""

from pathlib import Path

import pytest
from testbed.one_shot import results, run
from testbed.replies import Call, Say
from testbed.wires_by_model import MODELS

READ = Call("read_file", {"files": [{"path": "README.md"}]})
MISSING = Call("read_file", {"files": [{"path": "absent.md"}]})
COMMAND = Call("execute_command", {"command": "date +%N"})
DONE = Call("attempt_completion", {"result": "All done."})


@pytest.mark.parametrize("name", ["", "functions.read_file", "liés" * 40])
@pytest.mark.parametrize("model", MODELS)
def test_a_name_that_no_wire_takes_back_does_not_end_the_session(
    name: str, model: str, project: Path, home: Path
):
    script = [Say(calls=[Call(name, {}), DONE]), Say(calls=[DONE])]
    done, _ = run(script, project, home, "--json", model=model)
    assert done.exit_code == 0, done.stderr
    assert [result[1:] for result in results(done)] == [
        ("failed", "unknown_tool"),
        ("failed", "failed_earlier"),
        ("ok", "finished"),
    ]


def test_a_model_that_completes_after_a_failure_for_ever_is_stopped(project: Path, home: Path):
    done, server = run([Say(calls=[READ, MISSING, DONE])] * 20, project, home, "--json")
    assert done.exit_code == 3, done.stderr
    assert len(server.requests) == 8


def test_the_fourth_call_that_is_the_same_in_every_way_is_not_run(project: Path, home: Path):
    script = [*[Say(calls=[READ])] * 4, Say(calls=[COMMAND]), Say(calls=[DONE])]
    done, _ = run(script, project, home, "--json")
    assert done.exit_code == 0, done.stderr
    assert results(done) == [
        ("read_file", "ok", None),
        ("read_file", "ok", "repeated"),
        ("read_file", "ok", "repeated"),
        ("read_file", "failed", "repeated"),
        ("execute_command", "ok", None),
        ("attempt_completion", "ok", "finished"),
    ]


@pytest.mark.trap("T-41")
def test_polling_with_other_results_each_time_goes_on(project: Path, home: Path):
    script = [*[Say(calls=[COMMAND])] * 6, Say(calls=[DONE])]
    done, _ = run(script, project, home, "--json")
    assert results(done)[:-1] == [("execute_command", "ok", None)] * 6


REFUSED = [
    pytest.param(
        Call("read_file", '{"files": [{"path": "README.md"}'),
        "invalid_arguments",
        "column 33",
        id="broken JSON",
    ),
    pytest.param(Call("read_file", "[1]"), "invalid_arguments", "object", id="no object"),
    pytest.param(Call("read_file", ""), "invalid_arguments", "`files`", id="no arguments"),
    pytest.param(Call("list_files", "null"), "invalid_arguments", "`path`", id="null"),
    pytest.param(
        Call("list_files", '{"path": ".", "path": "x"}'),
        "invalid_arguments",
        "path",
        id="a repeated key",
    ),
    pytest.param(
        Call("list_files", '{"path": ".", "deep": 1}'),
        "invalid_arguments",
        "deep",
        id="an unknown key",
    ),
    pytest.param(Call("list_files", '{"path": "."'), "invalid_arguments", "column", id="cut off"),
    pytest.param(Call("list_files", '{"path": "absent"}'), None, "no such", id="no such directory"),
    pytest.param(
        Call("search_files", '{"path": "absent", "regex": "x"}'),
        None,
        "does not exist",
        id="nowhere to search",
    ),
    pytest.param(
        Call("search_files", '{"path": ".", "regex": "("}'),
        None,
        "cannot search",
        id="no regular expression",
    ),
    pytest.param(
        Call("write_to_file", '{"path": "README.md", "line_count": 3}'),
        "invalid_arguments",
        "`content`",
        id="absent is not empty",
    ),
    pytest.param(
        Call("update_todo_list", '{"todos": null}'),
        "invalid_arguments",
        "null",
        id="null for what is required",
    ),
    pytest.param(
        Call("ask_followup_question", '{"follow_up": []}'),
        "invalid_arguments",
        "`question`",
        id="no question",
    ),
    pytest.param(
        Call("execute_command", '{"command": "pwd", "cwd": "absent"}'),
        None,
        "does not exist",
        id="no such place to run in",
    ),
    pytest.param(
        Call("execute_command", '{"command": "sleep 9", "timeout": 1}'),
        "timed_out",
        "killed",
        id="a timeout",
    ),
    pytest.param(
        Call("attempt_completion", '{"result": " "}'), "invalid_arguments", "empty", id="no result"
    ),
]


@pytest.mark.invariant("I1", "I6")
@pytest.mark.parametrize(("call", "code", "says"), REFUSED)
def test_every_failure_blocks_a_completion_in_its_message(
    call: Call, code: str | None, says: str, project: Path, home: Path
):
    script = [Say(calls=[call, DONE]), Say(calls=[DONE])]
    done, server = run(script, project, home, "--json")
    assert done.exit_code == 0, done.stderr
    assert results(done) == [
        (call.name, "failed", code),
        ("attempt_completion", "failed", "failed_earlier"),
        ("attempt_completion", "ok", "finished"),
    ]
    told = server.requests[1].body["messages"][-1]["content"]
    assert says in str(told[0])
    assert [result["is_error"] for result in told] == [True, True]


def test_a_command_that_says_no_has_not_failed(project: Path, home: Path):
    says_no = Call("execute_command", {"command": "exit 3"})
    done, _ = run([Say(calls=[says_no, DONE])], project, home, "--json")
    assert results(done) == [
        ("execute_command", "ok", None),
        ("attempt_completion", "ok", "finished"),
    ]

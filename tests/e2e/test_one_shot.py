"""One-shot runs of the product against a scripted server, in every wire."""

import json
from pathlib import Path

import pytest
from testbed.one_shot import lines, results, run
from testbed.replies import Call, Say
from testbed.run_agent import run_agent
from testbed.server import ModelServer
from testbed.wires_by_model import MODELS

READ = Call("read_file", {"files": [{"path": "README.md"}]})
MISSING = Call("read_file", {"files": [{"path": "absent.md"}]})
DONE = Call("attempt_completion", {"result": "All done."})
COOLNESS = Call("update_todo_list", {"todos": "[ ] Check for coolness"})
WRITE = Call("write_to_file", {"path": "new.txt", "content": "hello\n"})

anthropic = "anthropic/test-model"


@pytest.mark.parametrize("model", MODELS)
def test_a_task_is_done_with_files_changed(model: str, project: Path, home: Path):
    script = [Say("I look.", calls=[READ]), Say(calls=[WRITE]), Say(calls=[DONE])]
    done, _ = run(script, project, home, model=model)
    assert (done.exit_code, done.stdout) == (0, "All done.\n"), done.stderr
    assert (project / "new.txt").read_text() == "hello\n"


def test_the_xml_protocol_has_one_tool_a_message(project: Path, home: Path):
    script = [
        Say(
            "<write_to_file>\n<path>new.txt</path>\n<content>\nhello\n</content>\n</write_to_file>"
        ),
        Say("<attempt_completion>\n<result>All done.</result>\n</attempt_completion>"),
    ]
    done, server = run(script, project, home, "--protocol", "xml")
    assert (done.exit_code, done.stdout) == (0, "All done.\n"), done.stderr
    assert (project / "new.txt").read_text() == "hello"
    assert "tools" not in server.requests[0].body


@pytest.mark.parametrize("model", MODELS)
def test_two_calls_of_one_message_run_in_order(model: str, project: Path, home: Path):
    script = [Say(calls=[READ, COOLNESS]), Say(calls=[DONE])]
    done, _ = run(script, project, home, "--json", model=model)
    assert done.exit_code == 0, done.stderr
    assert results(done) == [
        ("read_file", "ok", None),
        ("update_todo_list", "ok", None),
        ("attempt_completion", "ok", "finished"),
    ]


@pytest.mark.parametrize("model", MODELS)
def test_with_parallel_calls_off_the_second_is_refused(model: str, project: Path, home: Path):
    script = [Say(calls=[READ, COOLNESS]), Say(calls=[DONE])]
    done, server = run(script, project, home, "--json", "--no-parallel-tool-calls", model=model)
    assert done.exit_code == 0, done.stderr
    assert results(done)[:2] == [
        ("read_file", "ok", None),
        ("update_todo_list", "skipped", "one_call_per_message"),
    ]
    assert "one" in json.dumps(server.requests[0].body).lower()


@pytest.mark.invariant("I6")
@pytest.mark.parametrize("model", MODELS)
def test_a_completion_after_a_failure_waits_for_the_next_turn(
    model: str, project: Path, home: Path
):
    script = [Say(calls=[MISSING, DONE]), Say(calls=[DONE])]
    done, server = run(script, project, home, "--json", model=model)
    assert done.exit_code == 0, done.stderr
    assert results(done) == [
        ("read_file", "failed", None),
        ("attempt_completion", "failed", "failed_earlier"),
        ("attempt_completion", "ok", "finished"),
    ]
    shown = [line for line in lines(done) if line["type"] == "completion_result"]
    assert len(shown) == 1
    refusal = "Cannot execute attempt_completion because a previous tool failed in this turn"
    assert refusal in json.dumps(server.requests[1].body)


def test_every_call_is_told_once_before_its_result(project: Path, home: Path):
    done, _ = run([Say(calls=[MISSING, READ, DONE]), Say(calls=[DONE])], project, home, "--json")
    told = [(line["type"], line["id"]) for line in lines(done) if "tool_" in line["type"]]
    ids = [id_ for type_, id_ in told if type_ == "tool_use"]
    assert len(set(ids)) == 4
    assert told == [(type_, id_) for id_ in ids for type_ in ("tool_use", "tool_result")]


def test_the_last_line_is_always_the_result(project: Path, home: Path):
    done, _ = run([Say(calls=[DONE])], project, home, "--json")
    first, *_, last = lines(done)
    assert first["type"] == "init"
    assert (last["type"], last["verdict"], last["exit_status"]) == ("result", "completed", 0)
    assert all(line["v"] == 1 and line["session_id"] == first["session_id"] for line in lines(done))


def test_text_without_a_call_is_nudged_and_then_printed(project: Path, home: Path):
    done, server = run([Say("It is 4."), Say("Still 4.")], project, home)
    assert (done.exit_code, done.stdout) == (7, "Still 4.\n"), done.stderr
    assert len(server.requests) == 2


def test_a_denied_call_shows_in_the_exit_status(project: Path, home: Path):
    script = [Say(calls=[WRITE]), Say(calls=[DONE])]
    with ModelServer(script) as server:
        done = run_agent(
            ["-p", "-m", anthropic, "--json", "Do it."], cwd=project, home=home, server=server
        )
    assert done.exit_code == 4, done.stderr
    assert not (project / "new.txt").exists()
    assert results(done)[0] == ("write_to_file", "denied", "nobody_to_ask")


def test_a_question_with_nobody_to_ask_is_answered_by_an_error(project: Path, home: Path):
    question = Call("ask_followup_question", {"question": "Which?"})
    done, _ = run([Say(calls=[question]), Say(calls=[DONE])], project, home, "--json")
    assert done.exit_code == 0
    assert results(done)[0] == ("ask_followup_question", "failed", "nobody_to_ask")


def test_with_nobody_to_see_it_the_command_of_a_result_is_not_run(project: Path, home: Path):
    shows = Call("attempt_completion", {"result": "All done.", "command": "touch shown"})
    done, _ = run([Say(calls=[shows])], project, home, "--json")
    assert done.exit_code == 0, done.stderr
    (told,) = [line["content"] for line in lines(done) if line["type"] == "tool_result"]
    assert "The command was not run" in told
    assert "Nobody was there to accept the result" in told
    done, _ = run([Say(calls=[shows])], project, home)
    assert (done.exit_code, done.stdout) == (0, "All done.\n")
    assert "its command was not run" in done.stderr
    assert not (project / "shown").exists()


@pytest.mark.invariant("I14")
def test_a_budget_of_turns_stops_the_run(project: Path, home: Path):
    script = [Say(calls=[READ])] * 5
    done, server = run(script, project, home, "--max-turns", "2")
    assert done.exit_code == 5
    assert len(server.requests) == 2


def test_an_unknown_price_refuses_max_cost(project: Path, home: Path):
    done, server = run([], project, home, "--max-cost", "1")
    assert done.exit_code == 52
    assert "price" in done.stderr
    assert server.requests == []


@pytest.mark.invariant("I1")
@pytest.mark.parametrize("model", MODELS)
def test_a_thousand_calls_have_a_thousand_results(model: str, project: Path, home: Path):
    script = [Say(calls=[READ, COOLNESS] * 500), Say(calls=[DONE])]
    done, server = run(script, project, home, "--json", model=model)
    assert done.exit_code == 0, done.stderr
    in_order = [("read_file", "ok"), ("update_todo_list", "ok")] * 500
    assert [(name, status) for name, status, _ in results(done)[:-1]] == in_order
    assert len(server.requests) == 2


def test_verify_says_that_the_session_adds_up(project: Path, home: Path):
    run([Say(calls=[MISSING, DONE]), Say(calls=[DONE])], project, home)
    done = run_agent(["verify", "--json"], cwd=project, home=home)
    report = json.loads(done.stdout)
    assert done.exit_code == 0
    assert (report["calls"], report["results"], report["chain"]) == (3, 3, "intact")


def test_a_session_goes_on_where_it_was(project: Path, home: Path):
    run([Say(calls=[READ]), Say(calls=[DONE])], project, home)
    done, server = run([Say(calls=[DONE])], project, home, "-c")
    assert done.exit_code == 0, done.stderr
    assert len(server.requests[0].body["messages"]) == 5
    listed = run_agent(["sessions"], cwd=project, home=home)
    assert len(listed.stdout.splitlines()) == 1


def test_an_ephemeral_session_is_kept_nowhere(project: Path, home: Path):
    run([Say(calls=[DONE])], project, home, "--ephemeral")
    listed = run_agent(["sessions", "--all"], cwd=project, home=home)
    assert listed.stdout == ""

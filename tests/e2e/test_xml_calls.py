"""Calls in XML, through the whole product."""

from pathlib import Path

import pytest
from testbed.one_shot import results, run
from testbed.replies import Delivery, Say

XML = ("--json", "--protocol", "xml")
DONE = Say("<attempt_completion>\n<result>All done.</result>\n</attempt_completion>")
FINISHED = ("attempt_completion", "ok", "finished")


def test_a_call_that_the_mode_forbids_is_refused_as_one(project: Path, home: Path):
    script = [Say("<write_to_file><path>a</path><content>b</content></write_to_file>"), DONE]
    done, server = run(script, project, home, *XML, "--mode", "ask")
    assert results(done) == [("write_to_file", "failed", "forbidden"), FINISHED]
    assert "## write_to_file" not in str(server.requests[0].body)
    assert not (project / "a").exists()


READ = [
    pytest.param('<files>[{"path": "README.md"}]</files>', "Lines 1-3 of 3", id="JSON"),
    pytest.param("<args>\n<file>\n<path>README.md</path>\n<line_range>2-3</line_range>\n</file>\n"
                 "</args>", "Lines 2-3 of 3", id="elements"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "says"), READ)
def test_files_are_named_in_json_or_in_elements(text: str, says: str, project: Path, home: Path):
    script = [Say(f"<read_file>\n{text}\n</read_file>"), DONE]
    done, server = run(script, project, home, *XML)
    assert results(done) == [("read_file", "ok", None), FINISHED]
    assert says in str(server.requests[1].body["messages"][-1])


def test_suggestions_are_elements_too(project: Path, home: Path):
    suggested = '<suggest>This</suggest>\n<suggest mode="ask">That</suggest>'
    question = f"<question>Which?</question>\n<follow_up>\n{suggested}\n</follow_up>"
    script = [Say(f"<ask_followup_question>\n{question}\n</ask_followup_question>"), DONE]
    done, _ = run(script, project, home, *XML)
    assert results(done) == [("ask_followup_question", "failed", "nobody_to_ask"), FINISHED]


WRITTEN = "<path>other</path>\n</content>\n<path>other</path>\n```\n<read_file>\n</read_file>\n"


@pytest.mark.trap("T-40")
def test_a_file_may_hold_the_tags_of_the_call(project: Path, home: Path):
    content = f"<content>\n{WRITTEN}\n</content>\n<line_count>3</line_count>"
    script = [Say(f"<write_to_file>\n<path>a</path>\n{content}\n</write_to_file>"), DONE]
    done, _ = run(script, project, home, *XML)
    assert results(done) == [("write_to_file", "ok", None), FINISHED]
    assert (project / "a").read_text() == WRITTEN
    assert not (project / "other").exists()


CALL = "<write_to_file>\n<path>a</path>\n<content>b</content>\n</write_to_file>"
CUT = ("write_to_file", "failed", "cut_off")
NOT_RUN = [
    pytest.param(Say(f"<thinking>{CALL}</thinking>"), [], id="in thinking"),
    pytest.param(Say(f"```\n{CALL}\nand so on\n```"), [], id="in a fence with more"),
    pytest.param(Say(f"`{CALL}`"), [], id="in inline code"),
    pytest.param(Say(CALL.replace("<write_to_file>", "<write_to_file >")), [], id="not the tag"),
    pytest.param(Say(CALL[:-5]), [CUT], id="not closed"),
    pytest.param(Say(CALL[:-5], stop="length"), [CUT], id="cut off by the token limit"),
]


@pytest.mark.trap("T-40")
@pytest.mark.parametrize(("said", "told"), NOT_RUN)
def test_what_is_no_whole_call_is_not_run(said: Say, told: list[object], project: Path, home: Path):
    done, server = run([said, DONE], project, home, *XML)
    assert results(done) == [*told, FINISHED]
    assert len(server.requests) == 2
    assert not (project / "a").exists()


def test_of_two_calls_in_a_message_the_first_is_read(project: Path, home: Path):
    todo = "<update_todo_list>\n<todos>\n[ ] one\n[x] two\n</todos>\n</update_todo_list>"
    script = [Say(f"Both:\n{todo}\n{CALL}", delivery=Delivery(chunk=1, piece=1)), DONE]
    done, server = run(script, project, home, *XML)
    assert results(done) == [("update_todo_list", "ok", None), FINISHED]
    assert "write_to_file>" not in str(server.requests[1].body["messages"])
    assert not (project / "a").exists()

"""What a person is asked at a terminal, and what the model reads of the answers."""

from pathlib import Path

import pytest
from testbed.replies import Call, Say
from testbed.run_agent import start_agent
from testbed.server import ModelServer
from testbed.terminals import leave, say

QUESTION = r"\?[ \x08]"
MODEL = ["-m", "anthropic/test-model"]
ASK = Call(
    "ask_followup_question",
    {"question": "Which colour?", "follow_up": [{"text": "red"}, {"text": "blue"}]},
)
READ = Call("read_file", {"files": [{"path": "README.md"}]})
SHOWS = Call("attempt_completion", {"result": "All is done.</result>", "command": "touch shown"})


@pytest.mark.parametrize(
    ("typed", "answer"),
    [("2", "blue"), ("3", "3"), ("a lighter red", "a lighter red"), ("", "")],
    ids=["a number", "no such number", "words of their own", "nothing"],
)
def test_a_suggestion_is_chosen_by_its_number(typed: str, answer: str, project: Path, home: Path):
    with ModelServer([Say(calls=[ASK]), Say("I see.")]) as server:
        terminal = start_agent([*MODEL, "Do it."], cwd=project, home=home, server=server)
        terminal.expect("Which colour")
        terminal.expect("1. red")
        terminal.expect("2. blue")
        terminal.expect(QUESTION)
        say(terminal, typed)
        terminal.expect("I see")
        leave(terminal)
    assert server.violations == []
    (result,) = server.requests[1].body["messages"][-1]["content"]
    assert result["content"] == f"<answer>{answer}</answer>"


def test_a_call_that_does_not_get_on_is_asked_about(project: Path, home: Path):
    with ModelServer([*[Say(calls=[READ])] * 4, Say("I see.")]) as server:
        terminal = start_agent([*MODEL, "Do it."], cwd=project, home=home, server=server)
        terminal.expect("3 times in a row")
        terminal.expect("why not")
        say(terminal, "look elsewhere")
        terminal.expect("I see")
        leave(terminal)
    assert server.violations == []
    (result,) = server.requests[4].body["messages"][-1]["content"]
    assert result["is_error"]
    assert "<feedback>\nlook elsewhere\n</feedback>" in result["content"]


def test_a_result_stands_whether_its_command_was_run_or_not(project: Path, home: Path):
    with ModelServer([Say(calls=[SHOWS]), Say(calls=[SHOWS])]) as server:
        terminal = start_agent([*MODEL, "Do it."], cwd=project, home=home, server=server)
        terminal.expect("Task completed")
        terminal.expect("All is done.")
        terminal.expect("touch shown")
        assert "result>" not in terminal.before
        terminal.expect("why not")
        say(terminal, "n")
        terminal.expect("feedback")
        assert not (project / "shown").exists()
        say(terminal, "Show it all the same.")
        terminal.expect("why not")
        say(terminal, "y")
        terminal.expect("feedback")
        assert (project / "shown").exists()
        say(terminal, "")
        leave(terminal)
    assert server.violations == []
    (result,) = server.requests[1].body["messages"][-1]["content"]
    assert "The command was not run: the user rejected it." in result["content"]
    assert "<feedback>\nShow it all the same.\n</feedback>" in result["content"]

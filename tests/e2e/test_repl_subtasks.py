"""Subtasks with a person at the terminal: they can help one on, accept its result or give it up."""

from pathlib import Path

from testbed.replies import Call, Say
from testbed.run_agent import start_agent
from testbed.server import ModelServer
from testbed.terminals import PROMPT, leave, say

MODEL = ["-m", "anthropic/test-model", "-y"]
HAND = Call("new_task", {"mode": "ask", "message": "Find out what it does."})
FOUND = Call("attempt_completion", {"result": "It adds numbers."})


def test_a_subtask_that_stops_is_the_users_to_help_or_give_up(project: Path, home: Path):
    script = [Say(calls=[HAND]), Say("What do you mean?"), Say("Still?"), Say("I go on alone.")]
    with ModelServer(script) as server:
        terminal = start_agent([*MODEL, "Do it."], cwd=project, home=home, server=server)
        terminal.expect("Subtask")
        terminal.expect("What do you mean")
        terminal.expect(PROMPT)
        say(terminal, "This here.")
        terminal.expect("Still")
        terminal.expect(PROMPT)
        say(terminal, "/tasks")
        terminal.expect(r"1\. \[code\] Do it\.")
        terminal.expect(r"2\. \[ask\] Find out what it does\.")
        terminal.expect(PROMPT)
        say(terminal, "/tasks cancel")
        terminal.expect("I go on alone")
        terminal.expect(PROMPT)
        say(terminal, "/tasks cancel")
        terminal.expect("no subtask runs")
        leave(terminal)
    assert server.violations == []
    (result,) = server.requests[3].body["messages"][-1]["content"]
    assert result["is_error"]
    assert "The user gave the subtask up" in result["content"]
    assert "Still?" in result["content"]


def test_the_user_is_offered_to_finish_a_subtask(project: Path, home: Path):
    script = [Say(calls=[HAND]), Say(calls=[FOUND]), Say(calls=[FOUND]), Say("Good.")]
    with ModelServer(script) as server:
        terminal = start_agent([*MODEL, "Do it."], cwd=project, home=home, server=server)
        terminal.expect("Subtask completed")
        terminal.expect("feedback")
        say(terminal, "which numbers?")
        terminal.expect("Subtask completed")
        terminal.expect("feedback")
        say(terminal, "")
        terminal.expect("Good")
        leave(terminal)
    assert server.violations == []
    assert "which numbers?" in str(server.requests[2].body["messages"][-1])
    assert "Its result:" in str(server.requests[3].body["messages"][-1])


def test_a_session_left_in_a_subtask_says_where_it_stands(project: Path, home: Path):
    with ModelServer([Say(calls=[HAND]), Say("What do you mean?")]) as server:
        terminal = start_agent([*MODEL, "Do it."], cwd=project, home=home, server=server)
        terminal.expect("What do you mean")
        leave(terminal)
    with ModelServer([Say(calls=[FOUND]), Say("Good.")]) as server:
        terminal = start_agent([*MODEL, "-c"], cwd=project, home=home, server=server)
        terminal.expect(r"1\. \[code\] Do it\. \(waits")
        terminal.expect(r"2\. \[ask\] Find out what it does\.")
        terminal.expect(PROMPT)
        say(terminal, "This here.")
        terminal.expect("Subtask completed")
        terminal.expect("feedback")
        say(terminal, "")
        terminal.expect("Good")
        leave(terminal)
    assert server.violations == []

"""`!command` at the prompt: the user's own command, in the middle of a conversation."""

from pathlib import Path

from testbed.replies import Call, Say
from testbed.run_agent import start_agent
from testbed.server import ModelServer
from testbed.terminals import PROMPT, leave, say

MODEL = ["-m", "anthropic/test-model"]
WRITE = Call("write_to_file", {"path": "new.txt", "content": "hello\n"})
DONE = Call("attempt_completion", {"result": "Everything is done."})


def said_last(server: ModelServer) -> str:
    return str(server.requests[-1].body["messages"][-1]["content"])


def test_its_output_is_shown_and_goes_along_with_the_next_message(project: Path, home: Path):
    with ModelServer([Say("I see.")]) as server:
        args = [*MODEL, "--approval-mode", "plan"]
        terminal = start_agent(args, cwd=project, home=home, server=server)
        terminal.expect(PROMPT)
        say(terminal, "!echo over$((40 + 2)) > made.txt; cat made.txt; exit 3")
        terminal.expect("over42")
        terminal.expect("exit status 3")
        terminal.expect(PROMPT)
        assert server.requests == []
        say(terminal, "What was that?")
        terminal.expect("I see")
        leave(terminal)
    assert server.violations == []
    assert (project / "made.txt").read_text() == "over42\n"
    assert "What was that?" in said_last(server)
    assert "over42\\n(exit code 3)" in said_last(server)


def test_ctrl_c_ends_it_and_what_it_printed_is_told(project: Path, home: Path):
    with ModelServer([Say("I see.")]) as server:
        terminal = start_agent(MODEL, cwd=project, home=home, server=server)
        terminal.expect(PROMPT)
        say(terminal, "!echo be${nothing}gun; sleep 60")
        terminal.expect("begun")
        terminal.sendintr()
        terminal.expect("interrupted")
        terminal.expect(PROMPT)
        say(terminal, "What was that?")
        terminal.expect("I see")
        leave(terminal)
    assert "begun\\n(the user interrupted it" in said_last(server)


def test_undo_leaves_what_it_changed_alone(project: Path, home: Path):
    with ModelServer([Say(calls=[WRITE]), Say(calls=[DONE])]) as server:
        terminal = start_agent([*MODEL, "--yolo"], cwd=project, home=home, server=server)
        terminal.expect(PROMPT)
        say(terminal, "Do it.")
        terminal.expect("feedback")
        say(terminal, "")
        terminal.expect(PROMPT)
        say(terminal, "!echo mine > own.txt; echo su${nothing}re")
        terminal.expect("sure")
        terminal.expect(PROMPT)
        say(terminal, "/undo")
        terminal.expect("undone")
        leave(terminal)
    assert (project / "own.txt").read_text() == "mine\n"
    assert not (project / "new.txt").exists()


def test_the_mark_alone_says_what_it_is_for(project: Path, home: Path):
    with ModelServer([]) as server:
        terminal = start_agent(MODEL, cwd=project, home=home, server=server)
        terminal.expect(PROMPT)
        say(terminal, "!")
        terminal.expect("runs a command")
        leave(terminal)

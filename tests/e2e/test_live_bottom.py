"""What stands below the output while the agent works, and what can be typed there."""

from pathlib import Path

import pytest
from testbed.replies import Call, Delivery, Hang, Say
from testbed.screens import CTRL_C, ENTER, ESCAPE, UP, Screen
from testbed.server import ModelServer

MODEL = ["-m", "anthropic/test-model"]
WRITE = Call("write_to_file", {"path": "new.txt", "content": "hello\n"})
LINES = [f"Line {number} of what the model says about it." for number in range(60)]


@pytest.mark.parametrize("columns", [40, 80, 200])
def test_what_is_streamed_stands_there_once_and_in_order(columns: int, project: Path, home: Path):
    said = Say("\n".join(LINES), delivery=Delivery(piece=7, between=0.002))
    with (
        ModelServer([said]) as server,
        Screen([*MODEL, "Go."], cwd=project, home=home, server=server, columns=columns) as screen,
    ):
        screen.wait_for("Esc stops")
        screen.leave()
        lines = "".join(screen.text.split())
    place = -1
    for line in LINES:
        squeezed = "".join(line.split())
        assert lines.count(squeezed) == 1, line
        assert lines.index(squeezed) > place
        place = lines.index(squeezed)
    assert "Escstops" not in lines


@pytest.mark.parametrize("columns", [40, 80, 200])
def test_a_terminal_that_changes_its_size_meanwhile_shows_all_of_it(
    columns: int, project: Path, home: Path
):
    said = Say("\n".join(LINES), delivery=Delivery(piece=7, between=0.005))
    with (
        ModelServer([said]) as server,
        Screen([*MODEL, "Go."], cwd=project, home=home, server=server, columns=100) as screen,
    ):
        screen.wait_for("Line 9 ")
        screen.resize(columns, rows=30)
        screen.leave()
        lines = "".join(screen.text.split())
    missing = [line for line in LINES[12:] if "".join(line.split()) not in lines]
    assert missing == []


def test_esc_stops_the_work(project: Path, home: Path):
    with (
        ModelServer([Hang(), Say("Still here.")]) as server,
        Screen([*MODEL, "Go."], cwd=project, home=home, server=server) as screen,
    ):
        server.wait_for(1)
        screen.wait_for("Esc stops")
        screen.send(ESCAPE)
        screen.wait_for("interrupted")
        screen.wait_for("\n>")
        screen.say("Are you there?")
        screen.wait_for("Still here")
        screen.leave()
    assert server.violations == []


def test_a_draft_outlives_a_question_and_does_not_answer_it(project: Path, home: Path):
    script = [Say(calls=[WRITE], delivery=Delivery(between=0.2, piece=5)), Hang()]
    with (
        ModelServer(script) as server,
        Screen([*MODEL, "Go."], cwd=project, home=home, server=server) as screen,
    ):
        screen.wait_for("Esc stops")
        screen.send("y")
        screen.wait_for("» y")
        screen.wait_for("why not")
        assert not (project / "new.txt").exists()
        screen.say("n")
        screen.wait_for("» y")
        screen.send(ESCAPE)
        screen.wait_for("> y")
        screen.send("\x15")
        screen.leave()
    assert server.violations == []
    assert not (project / "new.txt").exists()


def test_what_is_queued_can_be_taken_back_and_said_otherwise(project: Path, home: Path):
    read = Say(calls=[Call("list_files", {"path": "."})], delivery=Delivery(between=0.2, piece=1))
    with (
        ModelServer([read, Say("I see both.")]) as server,
        Screen([*MODEL, "Go."], cwd=project, home=home, server=server) as screen,
    ):
        screen.wait_for("Esc stops")
        screen.send("And look there" + ENTER)
        screen.wait_for("↳ And look there")
        screen.send(UP)
        screen.wait_for("» And look there", gone="↳")
        screen.send(", too." + ENTER)
        screen.wait_for("↳ And look there, too.")
        screen.wait_for("I see both", gone="↳")
        screen.leave()
    assert server.violations == []
    said = str(server.requests[1].body["messages"])
    assert said.count("And look there") == 1
    assert "And look there, too." in said


def test_what_was_queued_when_work_is_stopped_is_not_lost(project: Path, home: Path):
    with (
        ModelServer([Hang(), Say("I see.")]) as server,
        Screen([*MODEL, "Go."], cwd=project, home=home, server=server) as screen,
    ):
        screen.wait_for("Esc stops")
        screen.send("Use tabs." + ENTER)
        screen.wait_for("↳ Use tabs.")
        screen.send("And")
        screen.wait_for("» And")
        screen.send(CTRL_C)
        screen.wait_for("> Use tabs.\n +And")
        screen.say(" blanks.")
        screen.wait_for("I see")
        screen.leave()
    assert server.violations == []
    assert r"Use tabs.\nAnd blanks." in str(server.requests[1].body["messages"])


def test_commands_that_only_look_run_meanwhile_and_others_wait(project: Path, home: Path):
    with (
        ModelServer([Hang()]) as server,
        Screen([*MODEL, "Go."], cwd=project, home=home, server=server) as screen,
    ):
        screen.wait_for("Esc stops")
        screen.say("/status")
        screen.wait_for("mode +code")
        screen.say("/undo")
        screen.wait_for("/undo has to wait until the work is done")
        screen.say("/undoo")
        screen.wait_for("no command /undoo")
        screen.send(ESCAPE)
        screen.wait_for("interrupted")
        screen.leave()
    assert server.violations == []
    assert len(server.requests) == 1


def test_a_megabyte_is_pasted_meanwhile_and_sent_whole(project: Path, home: Path):
    read = Say(calls=[Call("list_files", {"path": "."})], delivery=Delivery(between=0.2, piece=1))
    text = "a line of many\n" * 70_000 + "the last"
    with (
        ModelServer([read, Say("I see it.")]) as server,
        Screen([*MODEL, "Go."], cwd=project, home=home, server=server) as screen,
    ):
        screen.wait_for("Esc stops")
        screen.send(f"Look: \x1b[200~{text}\x1b[201~")
        screen.wait_for(r"» Look: \[pasted 70,001 lines\]")
        screen.send(ENTER)
        screen.wait_for("↳ Look: a line of many␊a line")
        screen.wait_for("I see it", gone="↳")
        screen.leave()
    assert server.violations == []
    assert f"Look: {text}" in server.requests[1].body["messages"][-1]["content"][-1]["text"]


def test_keys_show_what_was_folded_and_what_is_to_do(project: Path, home: Path):
    todos = Call("update_todo_list", {"todos": "[x] look\n[ ] act"})
    with (
        ModelServer([Say(calls=[todos]), Hang()]) as server,
        Screen([*MODEL, "-y", "Go."], cwd=project, home=home, server=server) as screen,
    ):
        server.wait_for(2)
        screen.send("\x14")
        screen.wait_for("act(.|\n)+act")
        screen.send("\x1b[Z")
        screen.wait_for("approval from now on")
        screen.send(ESCAPE)
        screen.wait_for("interrupted")
        screen.leave()
    assert server.violations == []


def test_a_line_entered_meanwhile_is_delivered_between_turns(project: Path, home: Path):
    read = Say(calls=[Call("list_files", {"path": "."})], delivery=Delivery(between=0.1, piece=2))
    with (
        ModelServer([read, Say("I see both.")]) as server,
        Screen([*MODEL, "Go."], cwd=project, home=home, server=server) as screen,
    ):
        screen.wait_for("Esc stops")
        screen.send("And look here, too." + ENTER)
        screen.wait_for("↳ And look here, too.")
        screen.wait_for("I see both", gone="↳")
        screen.leave()
    assert server.violations == []
    assert "And look here, too." in str(server.requests[1].body["messages"][-1])

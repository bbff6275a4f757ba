"""A person at a terminal."""

import json
import re
import signal
from pathlib import Path

import pexpect
import pytest
from testbed.replies import Call, Delivery, Hang, Say, Status
from testbed.run_agent import run_agent, start_agent
from testbed.screens import CTRL_C, Screen
from testbed.server import ModelServer
from testbed.terminals import PROMPT, asked, leave, say

MODEL = ["-m", "anthropic/test-model"]
DONE = Call("attempt_completion", {"result": "Everything is done."})
SLEEP = Call("execute_command", {"command": "sleep 60"})
WRITE = Call("write_to_file", {"path": "new.txt", "content": "hello\n"})


def test_text_hands_the_floor_back(project: Path, home: Path):
    with ModelServer([Say("The answer is four."), Say("And now five.")]) as server:
        terminal = start_agent([*MODEL, "What is 2 + 2?"], cwd=project, home=home, server=server)
        terminal.expect("answer is four")
        terminal.expect(PROMPT)
        say(terminal, "And 2 + 3?")
        terminal.expect("now five")
        leave(terminal)
    assert server.violations == []
    assert len(server.requests) == 2


def test_feedback_on_a_result_goes_on_with_the_task(project: Path, home: Path):
    with ModelServer([Say(calls=[DONE]), Say(calls=[DONE])]) as server:
        terminal = start_agent([*MODEL, "Do it."], cwd=project, home=home, server=server)
        terminal.expect("Task completed")
        terminal.expect("feedback")
        say(terminal, "The title is wrong.")
        terminal.expect("Task completed")
        terminal.expect("feedback")
        say(terminal, "")
        leave(terminal)
    assert server.violations == []
    assert "The title is wrong." in str(server.requests[1].body)


@pytest.mark.invariant("L3")
def test_ctrl_c_cancels_the_turn_and_the_session_goes_on(project: Path, home: Path):
    with ModelServer([Hang(), Say("Still here.")]) as server:
        terminal = start_agent([*MODEL, "Do it."], cwd=project, home=home, server=server)
        server.wait_for(1)
        terminal.sendintr()
        terminal.expect("interrupted")
        terminal.expect(PROMPT)
        say(terminal, "Are you there?")
        terminal.expect("Still here")
        leave(terminal)
    assert server.violations == []


def test_a_command_that_the_mode_forbids_is_told(project: Path, home: Path):
    show = Call("attempt_completion", {"result": "Everything is done.", "command": "ls"})
    with ModelServer([Say(calls=[show])]) as server:
        args = [*MODEL, "--mode", "ask", "Do it."]
        terminal = start_agent(args, cwd=project, home=home, server=server)
        terminal.expect("Task completed")
        terminal.expect("the command was not run: execute_command in mode ask")
        terminal.expect("feedback")
        say(terminal, "")
        leave(terminal)


def test_a_wait_is_counted_down_and_can_be_left(project: Path, home: Path):
    with (
        ModelServer([Status(429, retry_after=30), Say("Still here.")]) as server,
        Screen([*MODEL, "Do it."], cwd=project, home=home, server=server) as screen,
    ):
        for seconds in (30, 29, 28):
            screen.wait_for(f"trying again in {seconds} s, Ctrl-C stops")
        screen.send(CTRL_C)
        screen.wait_for("interrupted")
        screen.wait_for(">")
        screen.say("Are you there?")
        screen.wait_for("Still here")
        screen.leave()
    assert server.violations == []


@pytest.mark.invariant("U2")
def test_what_a_provider_says_cannot_steer_the_terminal(project: Path, home: Path):
    with ModelServer([Status(400, "no \x1b]0;mine\x07 model")]) as server:
        terminal = start_agent(MODEL, cwd=project, home=home, server=server)
        asked(terminal, "Go.", "refused the request", "no ␛]0;mine␇ model")
        leave(terminal)


def test_a_key_pressed_before_a_question_does_not_answer_it(project: Path, home: Path):
    other = Call("write_to_file", {"path": "other.txt", "content": "hello\n"})
    with ModelServer([Say(calls=[WRITE, other]), Say("I see.")]) as server:
        terminal = start_agent([*MODEL, "Do it."], cwd=project, home=home, server=server)
        terminal.expect("why not")
        terminal.send("e\ry\ry\ry\r")
        terminal.expect("1 of 2")
        terminal.expect("why not")
        say(terminal, "y")
        terminal.expect("2 of 2")
        terminal.expect("why not")
        say(terminal, "n")
        terminal.expect("I see")
        leave(terminal)
    assert server.violations == []
    assert (project / "new.txt").exists()
    assert not (project / "other.txt").exists()


def test_without_a_place_for_its_history_it_works_as_well(project: Path, home: Path):
    (home / "agent").mkdir(parents=True)
    (home / "agent/state").write_text("no directory")
    with ModelServer([Say("I see.")]) as server:
        terminal = start_agent(MODEL, cwd=project, home=home, server=server)
        terminal.expect(PROMPT)
        say(terminal, "Do it.")
        terminal.expect("I see")
        leave(terminal)


@pytest.mark.invariant("L3")
def test_ctrl_c_ends_a_command_that_was_approved(project: Path, home: Path):
    with ModelServer([Say(calls=[SLEEP]), Say("Still here.")]) as server:
        terminal = start_agent([*MODEL, "Do it."], cwd=project, home=home, server=server)
        terminal.expect("why not")
        say(terminal, "y")
        terminal.expect("running execute_command")
        terminal.sendintr()
        terminal.expect("interrupted")
        terminal.expect(PROMPT)
        say(terminal, "Are you there?")
        terminal.expect("Still here")
        leave(terminal)
    assert server.violations == []


@pytest.mark.invariant("L3")
def test_a_second_ctrl_c_ends_a_command_that_does_not_listen(project: Path, home: Path):
    deaf = Call("execute_command", {"command": "trap '' TERM; echo de''af; sleep 60 & wait; wait"})
    with ModelServer([Say(calls=[deaf])]) as server:
        terminal = start_agent([*MODEL, "-y", "Do it."], cwd=project, home=home, server=server)
        terminal.expect("deaf")
        terminal.sendintr()
        terminal.sendintr()
        terminal.expect("interrupted")
        leave(terminal)


@pytest.mark.parametrize(("number", "status"), [(signal.SIGTERM, 143), (signal.SIGHUP, 143)])
@pytest.mark.parametrize("reply", [Say("I see."), Say(calls=[SLEEP])], ids=["prompt", "question"])
def test_a_signal_is_a_way_to_leave(
    reply: Say, number: signal.Signals, status: int, project: Path, home: Path
):
    with ModelServer([reply]) as server:
        terminal = start_agent([*MODEL, "Do it."], cwd=project, home=home, server=server)
        terminal.expect("why not" if reply.calls else f"I see.*{PROMPT}")
        terminal.kill(number)
        terminal.expect(pexpect.EOF)
        terminal.wait()
        assert terminal.exitstatus == status
        terminal.close()
    report = json.loads(run_agent(["verify", "--json"], cwd=project, home=home).stdout)
    assert report["adds_up"], report


def test_a_rejected_write_skips_the_rest_and_changes_nothing(project: Path, home: Path):
    script = [Say(calls=[WRITE, DONE]), Say("I see.")]
    with ModelServer(script) as server:
        terminal = start_agent([*MODEL, "Do it."], cwd=project, home=home, server=server)
        terminal.expect("why not")
        say(terminal, "not that file")
        terminal.expect("you rejected an earlier call")
        terminal.expect("I see")
        leave(terminal)
    assert server.violations == []
    assert "not that file" in str(server.requests[1].body)
    assert not (project / "new.txt").exists()


def test_a_mistyped_command_is_reported_and_not_sent(project: Path, home: Path):
    with ModelServer([]) as server:
        terminal = start_agent(MODEL, cwd=project, home=home, server=server)
        terminal.expect(PROMPT)
        say(terminal, "/parralel off")
        terminal.expect("there is no command")
        say(terminal, "/parallel off")
        terminal.expect("several calls per message: off")
        say(terminal, "/mode ask")
        terminal.expect("mode ask")
        leave(terminal)
    assert server.requests == []


def test_a_long_call_is_seen_while_the_model_writes_it(project: Path, home: Path):
    long = Call("write_to_file", {"path": "long.txt", "content": "line\n" * 500})
    with (
        ModelServer([Say(calls=[long], delivery=Delivery(stall_at=20_000))]) as server,
        Screen([*MODEL, "Do it."], cwd=project, home=home, server=server) as screen,
    ):
        screen.wait_for(r"writing write_to_file: \d,\d\d\d characters +long\.txt")
        assert not (project / "long.txt").exists()
        screen.send(CTRL_C)
        screen.wait_for("interrupted")
        screen.leave()
    assert server.violations == []


def test_what_runs_in_the_background_is_told_with_the_next_message(project: Path, home: Path):
    serve = Call("execute_command", {"command": "sleep 61", "background": True})
    with ModelServer([Say(calls=[serve]), Say("It runs."), Say("It still runs.")]) as server:
        args = [*MODEL, "--yolo", "Start it."]
        terminal = start_agent(args, cwd=project, home=home, server=server)
        terminal.expect("It runs")
        terminal.expect(PROMPT)
        say(terminal, "Does it run?")
        terminal.expect("still runs")
        leave(terminal)
    assert server.violations == []
    said = [str(request.body) for request in server.requests]
    listed = re.compile(r"Commands in the background.{1,90}- \d+: sleep 61 \(runs\)")
    assert [len(listed.findall(body)) for body in said] == [0, 0, 1]

"""Approval cards at a terminal: one for a message, what it is answered with, what stays of it."""

import re
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from testbed.replies import Call, Say
from testbed.run_agent import run_agent, start_agent
from testbed.server import ModelServer
from testbed.terminals import leave, say

from agent_cli.sessions.journal import read
from agent_cli.types.entries import CallStarted, Entry, VerdictGiven

MODEL = ["-m", "anthropic/test-model"]
QUESTION = "say why not"


def edit(old: str, new: str) -> Call:
    blocks = f"<<<<<<< SEARCH\n{old}\n=======\n{new}\n>>>>>>> REPLACE"
    return Call("apply_diff", {"path": "a.txt", "diff": blocks})


def run(command: str) -> Call:
    return Call("execute_command", {"command": command})


TWICE = [edit("one", "ONE"), edit("ONE", "1")]


@pytest.fixture(autouse=True)
def text(project: Path) -> Path:
    path = project / "a.txt"
    path.write_text("one\ntwo\n")
    return path


def results(server: Any, number: int = 1) -> list[str]:
    content = server.requests[number].body["messages"][-1]["content"]
    return [str(block["content"]) for block in content if block["type"] == "tool_result"]


def entries(home: Path) -> list[Entry]:
    (path,) = (home / "agent").rglob("sessions/**/*.jsonl")

    def take(told: Iterator[Entry]) -> list[Entry]:
        return list(told)

    return read(path, take).value


ALL = [("y", True), ("1", True), ("", False), ("n", False)]


@pytest.mark.parametrize(("typed", "done"), ALL)
def test_two_edits_of_a_file_are_answered_once(
    typed: str, project: Path, home: Path, text: Path, *, done: bool
):
    with ModelServer([Say(calls=TWICE), Say("I see.")]) as server:
        terminal = start_agent([*MODEL, "Do it."], cwd=project, home=home, server=server)
        terminal.expect(re.escape("2 edits +2 \N{MINUS SIGN}2"))
        terminal.expect(QUESTION)
        if typed == "1":
            terminal.send("1")  # a digit is enough
        else:
            say(terminal, typed)
        terminal.expect("I see")
        leave(terminal)
    assert server.violations == []
    assert text.read_text() == ("1\ntwo\n" if done else "one\ntwo\n")


def test_one_is_rejected_with_a_reason_and_one_agreed_to_with_a_remark(
    project: Path, home: Path, text: Path
):
    calls = [edit("one", "ONE"), edit("two", "TWO"), run("touch made")]
    with ModelServer([Say(calls=calls), Say("I see.")]) as server:
        terminal = start_agent([*MODEL, "Do it."], cwd=project, home=home, server=server)
        terminal.expect("2 edits .*1 command")
        terminal.expect(QUESTION)
        terminal.send("2")
        terminal.expect("1 of 3")
        terminal.expect(QUESTION)
        say(terminal, "yes, but mind the case")
        terminal.expect("2 of 3")
        terminal.expect(QUESTION)
        terminal.send("\x1b")
        terminal.expect("no, because")
        say(terminal, "leave the rest")
        terminal.expect("I see")
        leave(terminal)
    assert server.violations == []
    first, second, third = results(server)
    assert "but mind the case" in first
    assert "leave the rest" in second
    assert "rejected an earlier call" in third
    assert text.read_text() == "ONE\ntwo\n"
    assert not (project / "made").exists()


def test_always_is_remembered_and_holds_the_next_time(project: Path, home: Path):
    (project / "made").mkdir()
    with ModelServer([Say(calls=[run("mkdir made/x")]), Say("I see.")]) as server:
        terminal = start_agent([*MODEL, "Do it."], cwd=project, home=home, server=server)
        terminal.expect("commands that begin with: mkdir made/x")
        terminal.expect(QUESTION)
        say(terminal, "a")
        terminal.expect("I see")
        leave(terminal)
    kept = home / "agent" / "config" / "always.toml"
    assert 'rule = "execute_command(mkdir made/x)"' in kept.read_text()
    (project / "made" / "x").rmdir()
    with ModelServer([Say(calls=[run("mkdir made/x")]), Say("I see.")]) as server:
        run_agent(["run", *MODEL, "Do it."], cwd=project, home=home, server=server)
    assert (project / "made" / "x").is_dir()


def test_a_kill_after_the_answer_leaves_what_was_agreed_to_undone(
    project: Path, home: Path, text: Path
):
    calls = [run("sleep 60"), edit("one", "ONE")]
    with ModelServer([Say(calls=calls)]) as server:
        terminal = start_agent([*MODEL, "Do it."], cwd=project, home=home, server=server)
        terminal.expect(QUESTION)
        say(terminal, "y")
        terminal.expect("sleep 60")
        while not any(isinstance(one, CallStarted) for one in entries(home)):
            pass
        terminal.kill(signal.SIGKILL)
        terminal.wait()
    assert [one.verdict.approved for one in entries(home) if isinstance(one, VerdictGiven)] == [
        True
    ]
    with ModelServer([Say(calls=[edit("one", "ONE")]), Say("I see.")]) as server:
        terminal = start_agent(["-c", *MODEL, "Go on."], cwd=project, home=home, server=server)
        terminal.expect(QUESTION)
        assert text.read_text() == "one\ntwo\n"
        say(terminal, "y")
        terminal.expect("I see")
        leave(terminal)
    assert server.violations == []
    assert text.read_text() == "ONE\ntwo\n"

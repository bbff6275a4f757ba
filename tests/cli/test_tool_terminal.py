"""`agent tool` asks at a terminal: one line decides, and the JSON stays alone."""

import json
from pathlib import Path

import pytest
from testbed.own_terminal import OwnTerminal
from testbed.run_agent import start_agent

WRITE = ["tool", "write_to_file", '{"path":"new.txt","content":"hello\\n"}']
QUESTION = ["tool", "ask_followup_question", '{"question":"Which?","follow_up":[{"text":"This."}]}']
PROMPT = "anything else declines: "


@pytest.mark.parametrize(
    ("answer", "status"),
    [
        ("y\n", "ok"),
        ("yes\n", "rejected"),
        ("Y\n", "rejected"),
        (" y\n", "rejected"),
        ("n\n", "rejected"),
        ("\n", "rejected"),
        ("\x04", "rejected"),
        ("no, because\n", "rejected"),
    ],
)
def test_one_line_decides(answer: str, status: str, project: Path, home: Path):
    with OwnTerminal(WRITE, cwd=project, home=home) as terminal:
        terminal.expect(PROMPT)
        assert "+hello" in terminal.shown
        assert not (project / "new.txt").exists()
        terminal.send(answer)
        exit_code, output = terminal.finish()
    assert (exit_code == 0) == (status == "ok")
    found = json.loads(output)
    assert (found["status"], found["asked"]) == (status, True)
    assert (project / "new.txt").exists() == (status == "ok")


@pytest.mark.parametrize("flag", ["--yes", "--no"])
def test_a_flag_answers_without_a_word(flag: str, project: Path, home: Path):
    with OwnTerminal([*WRITE, flag], cwd=project, home=home) as terminal:
        exit_code, output = terminal.finish()
    assert terminal.shown == ""
    assert json.loads(output)["asked"]
    assert exit_code == (0 if flag == "--yes" else 4)


def test_text_goes_to_both_where_they_differ(project: Path, home: Path):
    with OwnTerminal([*WRITE, "--format", "text"], cwd=project, home=home) as terminal:
        terminal.expect(PROMPT)
        terminal.send("y\n")
        _, output = terminal.finish()
    assert "+hello\n" in output
    assert f"{PROMPT}y\n" in output
    assert "created new.txt" in output
    assert "created new.txt" not in terminal.shown


@pytest.mark.parametrize(("line", "answer"), [("1\n", "This."), ("The other.\n", "The other.")])
def test_a_question_is_answered(line: str, answer: str, project: Path, home: Path):
    with OwnTerminal(QUESTION, cwd=project, home=home) as terminal:
        terminal.expect("1. This.")
        terminal.send(line)
        exit_code, output = terminal.finish()
    assert (exit_code, json.loads(output)["content"]) == (0, f"<answer>{answer}</answer>")


def test_on_one_terminal_everything_is_shown_once(project: Path, home: Path):
    terminal = start_agent([*WRITE, "--format", "text"], cwd=project, home=home)
    terminal.expect_exact(PROMPT)
    shown = terminal.before
    terminal.sendline("y")
    terminal.expect_exact("created new.txt")
    shown += terminal.before
    terminal.expect_exact("\n")
    terminal.read()
    terminal.close()
    assert terminal.exitstatus == 0
    assert shown.count("+hello") == 1
    for asks_the_terminal in ("\x1b[6n", "\x1b[c", "\x1b]", "\x1b[?"):
        assert asks_the_terminal not in shown

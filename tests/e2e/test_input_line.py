"""A person types at a real terminal: completion, pastes, history, keys."""

import time
from pathlib import Path
from typing import Any

from testbed.replies import Say
from testbed.run_agent import start_agent
from testbed.server import ModelServer
from testbed.terminals import PROMPT, end, leave, say

MODEL = ["-m", "anthropic/test-model"]
LINES = 12_500


def last_words(server: ModelServer, number: int = -1) -> str:
    """Return what the user's last message of a request says."""
    content: Any = server.requests[number].body["messages"][-1]["content"]
    return content if isinstance(content, str) else "".join(one["text"] for one in content)


def test_a_file_is_completed_and_goes_along(project: Path, home: Path):
    (project / "my notes.txt").write_text("remember the milk\n")
    with ModelServer([Say("I see.")]) as server:
        terminal = start_agent(MODEL, cwd=project, home=home, server=server)
        terminal.expect(PROMPT)
        terminal.send("look at @mynot")
        terminal.expect("my notes.txt")
        terminal.send("\t")
        terminal.expect_exact("\\ notes.txt")  # what stood there is not drawn again
        terminal.send("\r")
        terminal.send("\r")
        terminal.expect("I see")
        leave(terminal)
    assert server.violations == []
    assert "look at @my\\ notes.txt" in last_words(server)
    assert "remember the milk" in last_words(server)


def test_a_command_is_completed(project: Path, home: Path):
    with ModelServer([]) as server:
        terminal = start_agent(MODEL, cwd=project, home=home, server=server)
        terminal.expect(PROMPT)
        terminal.send("/contex")
        terminal.expect("what fills the model")
        terminal.send("\t\r\r")
        terminal.expect("nothing has been said yet")
        leave(terminal)


def test_a_megabyte_is_pasted_within_seconds_and_sent_whole(project: Path, home: Path):
    text = "".join(f"{number:>78}\r" for number in range(LINES))
    with ModelServer([Say("I see.")]) as server:
        terminal = start_agent(MODEL, cwd=project, home=home, server=server)
        terminal.expect(PROMPT)
        begun = time.monotonic()
        terminal.send(f"read: \x1b[200~{text}\x1b[201~")
        terminal.expect_exact(f"[pasted {LINES + 1:,} lines]")
        took = time.monotonic() - begun
        terminal.send("\r")
        terminal.expect("I see")
        leave(terminal)
    assert server.violations == []
    assert "read: " + text.replace("\r", "\n") in last_words(server)
    assert took < 10


def test_what_was_said_is_there_in_the_next_session(project: Path, home: Path):
    with ModelServer([Say("I see."), Say("Again.")]) as server:
        for answer in ("I see", "Again"):
            terminal = start_agent(MODEL, cwd=project, home=home, server=server)
            terminal.expect(PROMPT)
            if answer == "I see":
                say(terminal, "The first words.")
            else:
                terminal.send("\x12first w")
                terminal.expect("ords")
                terminal.send("\r\r")
            terminal.expect(answer)
            leave(terminal)
    assert "The first words." in last_words(server)


def test_enter_before_the_prompt_is_there_sends(project: Path, home: Path):
    with ModelServer([Say("I see.")]) as server:
        terminal = start_agent(MODEL, cwd=project, home=home, server=server)
        say(terminal, "Said early.")
        terminal.expect("I see")
        leave(terminal)
    assert "Said early." in last_words(server)


def test_ctrl_c_clears_a_line_and_leaves_when_pressed_twice(project: Path, home: Path):
    with ModelServer([]) as server:
        terminal = start_agent(MODEL, cwd=project, home=home, server=server)
        terminal.expect(PROMPT)
        terminal.send("never mind\x03")
        terminal.send("\x03")
        terminal.expect("Ctrl-C again leaves")
        terminal.send("\x03")
        terminal.wait()
        assert terminal.exitstatus == 0
        terminal.close()


def test_shift_tab_goes_through_the_approval_modes(project: Path, home: Path):
    with ModelServer([]) as server:
        terminal = start_agent(MODEL, cwd=project, home=home, server=server)
        terminal.expect(PROMPT)
        for mode in ("accept-edits", "plan", "auto", "ask"):
            terminal.send("\x1b[Z")
            terminal.expect_exact(f"approval from now on: {mode}")
            terminal.expect(PROMPT)
        end(terminal)

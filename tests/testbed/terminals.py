"""A person at a terminal: what they wait for, type and leave with."""

from pathlib import Path
from typing import Any

PROMPT = ">[ \x08]"
"""The space after the prompt may be drawn by moving the cursor."""
GAP = r"(?: |\x1b\[[0-9;]*m)+"
"""Blanks, and styles that begin or end there; " +" in what `asked` expects."""


def say(terminal: Any, text: str) -> None:
    terminal.send(text + "\r")


def asked(terminal: Any, line: str, *shown: str) -> None:
    """Type a line at the next prompt, and wait for what it is to show."""
    terminal.expect(PROMPT)
    say(terminal, line)
    for one in shown:
        terminal.expect(one.replace(" +", GAP))


def leave(terminal: Any) -> None:
    """Leave at the next prompt."""
    terminal.expect(PROMPT)
    end(terminal)


def end(terminal: Any) -> None:
    """Leave at a prompt that was seen already."""
    terminal.sendeof()
    terminal.wait()
    assert terminal.exitstatus == 0
    terminal.close()


def sessions(home: Path) -> list[Path]:
    return sorted((home / "agent/data/sessions").glob("*/*.jsonl"))

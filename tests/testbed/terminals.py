"""A person at a terminal: what they wait for, type and leave with."""

from typing import Any

PROMPT = ">[ \x08]"


def say(terminal: Any, text: str) -> None:
    terminal.send(text + "\r")


def leave(terminal: Any) -> None:
    terminal.expect(PROMPT)
    terminal.sendeof()
    terminal.wait()
    assert terminal.exitstatus == 0
    terminal.close()

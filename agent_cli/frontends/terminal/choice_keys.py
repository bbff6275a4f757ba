"""Keys that answer a question at once: a digit in an empty line, and Esc."""

from functools import partial

from prompt_toolkit.application import get_app

from agent_cli.frontends.terminal.approving import ESCAPED
from agent_cli.frontends.terminal.input import InputLine, Manner, ReadLine
from agent_cli.frontends.terminal.keys import Action


def choice_reader() -> ReadLine:
    """Return a function that prompts for a choice in the middle of work."""
    digits = {str(digit): Action(partial(_choose, str(digit))) for digit in range(1, 10)}
    actions = {**digits, "escape": Action(_escape)}
    return InputLine(Manner(during_turn=True, actions=actions))


def _choose(digit: str) -> None:
    buffer = get_app().current_buffer
    first = not buffer.text
    buffer.insert_text(digit)
    if first:
        buffer.validate_and_handle()


def _escape() -> None:
    app = get_app()
    if not app.current_buffer.text:
        app.exit(result=ESCAPED)

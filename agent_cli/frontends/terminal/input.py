"""Lines from the user: history, several lines with Ctrl+J, Ctrl-C clears, Ctrl-D ends."""

import termios
from collections.abc import Awaitable, Callable
from contextlib import suppress
from pathlib import Path

from prompt_toolkit import PromptSession
from prompt_toolkit.history import FileHistory, History, InMemoryHistory
from prompt_toolkit.input import Input
from prompt_toolkit.input.typeahead import clear_typeahead
from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent

from agent_cli.frontends.given_text import given


def line_reader(
    history: Path | None, *, during_turn: bool = False
) -> Callable[[str], Awaitable[str]]:
    """Return a function that prompts for one message; it raises EOFError and KeyboardInterrupt.

    `during_turn`: the signal of Ctrl-C belongs to the turn. The library would take it for the
    length of a prompt and then give it back to nobody: nothing could stop the turn any more.
    """
    session: PromptSession[str] = PromptSession(
        history=_history(history),
        key_bindings=_bindings(),
        multiline=True,
        enable_open_in_editor=True,
    )

    async def read(prompt: str) -> str:
        if during_turn:
            _forget_what_was_typed(session.app.input)
        return given(await session.prompt_async(prompt, handle_sigint=not during_turn))

    return read


def _history(path: Path | None) -> History:
    """Return the history in the file; without one, or where there can be none, that of this run."""
    if path is None:
        return InMemoryHistory()
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        path.touch(mode=0o600)
    except OSError:
        return InMemoryHistory()
    return FileHistory(str(path))


def _forget_what_was_typed(source: Input) -> None:
    """Drop keys pressed before there was a question: they are no answer to it."""
    clear_typeahead(source)
    with suppress(termios.error, OSError):
        termios.tcflush(source.fileno(), termios.TCIFLUSH)


def _bindings() -> KeyBindings:
    bindings = KeyBindings()

    @bindings.add("enter")
    def send(event: KeyPressEvent) -> None:
        buffer = event.current_buffer
        if buffer.document.text_before_cursor.endswith("\\"):
            buffer.delete_before_cursor()
            buffer.newline()
            return
        buffer.validate_and_handle()

    @bindings.add("c-j")
    @bindings.add("escape", "enter")
    def newline(event: KeyPressEvent) -> None:
        event.current_buffer.newline()

    return bindings

"""Lines from the user: history, several lines with Ctrl+J, Ctrl-C clears, Ctrl-D ends."""

import termios
from contextlib import suppress
from pathlib import Path
from typing import Protocol

from prompt_toolkit import PromptSession
from prompt_toolkit.filters import Condition
from prompt_toolkit.history import FileHistory, History, InMemoryHistory
from prompt_toolkit.input import Input
from prompt_toolkit.input.typeahead import clear_typeahead
from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent

from agent_cli.frontends.given_text import given

REWIND = "/rewind"
"""What Esc Esc stands for."""


class ReadLine(Protocol):
    """Prompts for one message, begun with the draft; raises EOFError and KeyboardInterrupt."""

    async def __call__(self, prompt: str, draft: str = "") -> str: ...


def line_reader(
    history: Path | None, *, during_turn: bool = False, rewinds: bool = False
) -> ReadLine:
    """Return a function that prompts.

    `rewinds`: Esc Esc in an empty line means `/rewind`.
    `during_turn`: the signal of Ctrl-C belongs to the turn. The library would take it for the
    length of a prompt and then give it back to nobody: nothing could stop the turn any more.
    """
    session: PromptSession[str] = PromptSession(
        history=_history(history),
        key_bindings=_bindings(rewinds=rewinds),
        multiline=True,
        enable_open_in_editor=True,
    )

    async def read(prompt: str, draft: str = "") -> str:
        if during_turn:
            _forget_what_was_typed(session.app.input)
        line = await session.prompt_async(prompt, default=draft, handle_sigint=not during_turn)
        return given(line)

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


def _bindings(*, rewinds: bool) -> KeyBindings:
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

    @bindings.add("escape", "escape", filter=Condition(lambda: rewinds))
    def rewind(event: KeyPressEvent) -> None:
        if not event.current_buffer.text:
            event.app.exit(result=REWIND)

    return bindings

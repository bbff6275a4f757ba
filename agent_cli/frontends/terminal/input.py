"""Lines from the user: history, several lines with Ctrl+J, Ctrl-C clears, Ctrl-D ends."""

from collections.abc import Awaitable, Callable
from pathlib import Path

from prompt_toolkit import PromptSession
from prompt_toolkit.history import FileHistory, InMemoryHistory
from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent

from agent_cli.frontends.given_text import given


def line_reader(
    history: Path | None, *, during_turn: bool = False
) -> Callable[[str], Awaitable[str]]:
    """Return a function that prompts for one message; it raises EOFError and KeyboardInterrupt.

    `during_turn`: the signal of Ctrl-C belongs to the turn. The library would take it for the
    length of a prompt and then give it back to nobody: nothing could stop the turn any more.
    """
    if history is not None:
        history.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    session: PromptSession[str] = PromptSession(
        history=FileHistory(str(history)) if history else InMemoryHistory(),
        key_bindings=_bindings(),
        multiline=True,
        enable_open_in_editor=True,
    )

    async def read(prompt: str) -> str:
        return given(await session.prompt_async(prompt, handle_sigint=not during_turn))

    return read


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

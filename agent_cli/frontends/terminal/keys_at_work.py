"""Keys while the agent works, and the terminal's mode in which they come."""

import termios
from collections.abc import Callable, Generator
from contextlib import AbstractContextManager, contextmanager
from typing import Protocol

from prompt_toolkit.filters import Condition
from prompt_toolkit.input.vt100 import Vt100Input
from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent
from prompt_toolkit.key_binding.key_processor import KeyPress
from prompt_toolkit.keys import Keys

from agent_cli.frontends.given_text import given
from agent_cli.frontends.terminal.below import Desk
from agent_cli.frontends.terminal.live_draft import LiveDraft

_INPUT, _LOCAL, _CHARACTERS = 0, 3, 6
"""Places in what `termios.tcgetattr` returns."""
_NO_CHARACTER = b"\0"


class KeysAtWork(Vt100Input):
    """Keys as they are pressed; but Ctrl-C is a signal, which is heard however busy we are."""

    def raw_mode(self) -> AbstractContextManager[None]:
        return _keys_at_once(self.fileno())

    def flush_keys(self) -> list[KeyPress]:
        """Return what was no beginning of another key; Esc is known then, and need not wait.

        Elsewhere it begins Alt and another key, for which the bindings would wait once more.
        """
        alone = KeyPress(Keys.SIGINT)
        return [alone if one.key == Keys.Escape else one for one in super().flush_keys()]


@contextmanager
def _keys_at_once(descriptor: int) -> Generator[None, None, None]:
    before = termios.tcgetattr(descriptor)
    mode = termios.tcgetattr(descriptor)
    mode[_INPUT] &= ~(termios.IXON | termios.IXOFF | termios.ICRNL | termios.INLCR | termios.IGNCR)
    mode[_LOCAL] &= ~(termios.ECHO | termios.ICANON | termios.IEXTEN)
    mode[_LOCAL] |= termios.ISIG | termios.NOFLSH  # a signal drops nothing that was typed or shown
    for place in (termios.VQUIT, termios.VSUSP):
        mode[_CHARACTERS][place] = _NO_CHARACTER
    mode[_CHARACTERS][termios.VMIN] = 1
    mode[_CHARACTERS][termios.VTIME] = 0
    termios.tcsetattr(descriptor, termios.TCSANOW, mode)
    try:
        yield
    finally:
        termios.tcsetattr(descriptor, termios.TCSANOW, before)


class Interrupt(Protocol):
    def __call__(self, *, again: bool) -> None: ...


def bindings(desk: Callable[[], Desk], draft: LiveDraft, interrupt: Interrupt) -> KeyBindings:
    """Return what the keys do at the desk that is there then; all others edit the draft."""
    keys = KeyBindings()
    _typing(keys, desk, draft)
    _acting(keys, desk, interrupt)
    return keys


def _typing(keys: KeyBindings, desk: Callable[[], Desk], draft: LiveDraft) -> None:
    empty = Condition(lambda: not draft.buffer.text)

    @keys.add("enter")
    def enter(event: KeyPressEvent) -> None:
        line = draft.buffer
        if line.document.text_before_cursor.endswith("\\"):
            line.delete_before_cursor()
            line.newline(copy_margin=False)
            return
        text = given(draft.take()).strip()
        if text:
            desk().enter(text)

    @keys.add("c-j")
    @keys.add("escape", "enter")
    def newline(event: KeyPressEvent) -> None:
        draft.buffer.newline(copy_margin=False)

    @keys.add(Keys.BracketedPaste)
    def paste(event: KeyPressEvent) -> None:
        draft.insert(event.data.replace("\r\n", "\n").replace("\r", "\n"))

    @keys.add("up", filter=empty)
    def take_back(event: KeyPressEvent) -> None:
        draft.insert(desk().take_back())


def _acting(keys: KeyBindings, desk: Callable[[], Desk], interrupt: Interrupt) -> None:
    @keys.add(Keys.SIGINT)
    def stop(event: KeyPressEvent) -> None:
        interrupt(again=False)

    @keys.add("c-c")
    def insist(event: KeyPressEvent) -> None:
        interrupt(again=True)

    @keys.add("c-o")
    def expand(event: KeyPressEvent) -> None:
        desk().expand()

    @keys.add("c-t")
    def todos(event: KeyPressEvent) -> None:
        desk().todos()

    @keys.add("s-tab")
    def cycle(event: KeyPressEvent) -> None:
        desk().cycle()

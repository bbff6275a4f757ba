"""What keys do in the input line, beyond what prompt-toolkit gives them.

Enter sends; Ctrl+J, Alt+Enter, Shift+Enter where the terminal tells it apart, and a backslash
before Enter begin a new line. Ctrl-C clears the line; on an empty one it is for the caller.
Ctrl+G opens the user's editor, Ctrl+V pastes an image.
"""

from collections.abc import Callable, Coroutine, Mapping
from typing import Any

from msgspec import Struct
from prompt_toolkit.application import get_app
from prompt_toolkit.application.run_in_terminal import run_in_terminal
from prompt_toolkit.buffer import Buffer
from prompt_toolkit.enums import DEFAULT_BUFFER
from prompt_toolkit.filters import (
    Condition,
    Filter,
    completion_is_selected,
    emacs_insert_mode,
    has_completions,
    has_focus,
    vi_insert_mode,
)
from prompt_toolkit.input.ansi_escape_sequences import ANSI_SEQUENCES
from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent
from prompt_toolkit.keys import Keys

REWIND = "/rewind"
"""What Esc Esc stands for."""

_IN_LINE = has_focus(DEFAULT_BUFFER)
_NEW_LINE = (Keys.Escape, Keys.ControlM)
_MODIFIED_ENTER = (
    *(f"\x1b[13;{modifiers}u" for modifiers in range(2, 9)),
    *(f"\x1b[27;{modifiers};13~" for modifiers in range(2, 9)),
)
"""Enter with Shift, Alt, Ctrl or several, as CSI u and as modifyOtherKeys report it."""


class Action(Struct, frozen=True):
    """What a key does besides editing."""

    run: Callable[[], None]
    prints: bool = False
    """It writes to the terminal: the prompt is taken away for that moment."""


def understand_modified_enter() -> None:
    """Have the parser of keys know how terminals report Enter with a modifier."""
    for sequence in _MODIFIED_ENTER:
        ANSI_SEQUENCES[sequence] = _NEW_LINE


class Hands(Struct, frozen=True):
    """What is done with the line's text by those who own it."""

    paste: Callable[[str], str]
    """Returns what is to be inserted for what was pasted."""
    attach: Callable[[Buffer], Coroutine[Any, Any, None]]
    """Inserts the image in the clipboard."""
    edit: Callable[[Buffer], Coroutine[Any, Any, None]]
    """Gives the text to the user's editor."""


def bindings(*, rewinds: bool, actions: Mapping[str, Action], hands: Hands) -> KeyBindings:
    """Return what keys do; `actions` are by key, in prompt-toolkit's names."""
    made = KeyBindings()
    _editing(made, hands.paste)
    _reaching_out(made, hands)
    _leaving(made, rewinds=rewinds)
    for key, action in actions.items():
        _act(made, key, action)
    return made


def _editing(made: KeyBindings, paste: Callable[[str], str]) -> None:
    @made.add("enter", filter=_IN_LINE & completion_is_selected)
    def take(event: KeyPressEvent) -> None:
        event.current_buffer.complete_state = None

    @made.add("enter", filter=_IN_LINE & ~completion_is_selected)
    def send(event: KeyPressEvent) -> None:
        buffer = event.current_buffer
        if buffer.document.text_before_cursor.endswith("\\"):
            buffer.delete_before_cursor()
            buffer.newline(copy_margin=False)
            return
        buffer.validate_and_handle()

    @made.add("c-j", filter=_IN_LINE)
    @made.add("escape", "enter", filter=_IN_LINE & emacs_insert_mode)
    def new_line(event: KeyPressEvent) -> None:
        event.current_buffer.newline(copy_margin=False)

    @made.add(Keys.BracketedPaste, filter=_IN_LINE)
    def pasted(event: KeyPressEvent) -> None:
        text = event.data.replace("\r\n", "\n").replace("\r", "\n")
        event.current_buffer.insert_text(paste(text))

    @made.add("escape", filter=_IN_LINE & has_completions)
    def close_menu(event: KeyPressEvent) -> None:
        event.current_buffer.cancel_completion()


def _reaching_out(made: KeyBindings, hands: Hands) -> None:
    @made.add("c-g", filter=_IN_LINE)
    def edit(event: KeyPressEvent) -> None:
        event.app.create_background_task(hands.edit(event.current_buffer))

    @made.add("c-v", filter=_IN_LINE & (emacs_insert_mode | vi_insert_mode))
    def attach(event: KeyPressEvent) -> None:
        event.app.create_background_task(hands.attach(event.current_buffer))


def _leaving(made: KeyBindings, *, rewinds: bool) -> None:
    @made.add("c-c", filter=_IN_LINE & _has_text())
    def clear(event: KeyPressEvent) -> None:
        buffer = event.current_buffer
        buffer.save_to_undo_stack()
        buffer.text = ""

    @made.add("escape", "escape", filter=_IN_LINE & ~_has_text() & _true(rewinds))
    def rewind(event: KeyPressEvent) -> None:
        event.app.exit(result=REWIND)


def _act(made: KeyBindings, key: str, action: Action) -> None:
    @made.add(key, filter=_IN_LINE & ~has_completions)
    def act(event: KeyPressEvent) -> None:
        if action.prints:
            run_in_terminal(action.run)
        else:
            action.run()
            event.app.invalidate()


def _has_text() -> Filter:
    return Condition(lambda: bool(get_app().current_buffer.text))


def _true(value: bool) -> Filter:  # noqa: FBT001 - a filter of nothing but this
    return Condition(lambda: value)

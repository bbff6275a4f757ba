"""Keys that were pressed before there was a prompt."""

import array
import fcntl
import os
import termios
from contextlib import suppress

from prompt_toolkit.input import Input
from prompt_toolkit.input.typeahead import clear_typeahead, store_typeahead
from prompt_toolkit.input.vt100_parser import Vt100Parser
from prompt_toolkit.key_binding.key_processor import KeyPress

_LOCAL_MODES = 3


def forget_what_was_typed(source: Input) -> None:
    """Drop keys pressed before there was a question: they are no answer to it."""
    clear_typeahead(source)
    with suppress(termios.error, OSError):
        termios.tcflush(source.fileno(), termios.TCIFLUSH)


def take_what_was_typed(source: Input) -> None:
    """Have lines that were typed before the first prompt read as they were meant.

    Until then the terminal hands on Enter as the character that is Ctrl+J: a new line.
    """
    presses: list[KeyPress] = []
    parser = Vt100Parser(presses.append)
    with suppress(termios.error, OSError, ValueError):
        terminal = source.fileno()
        while termios.tcgetattr(terminal)[_LOCAL_MODES] & termios.ICANON and _waiting(terminal):
            line = os.read(terminal, 64 * 1024).decode("utf-8", "surrogateescape")
            if not line:
                break
            parser.feed(line.replace("\n", "\r"))
    parser.flush()
    store_typeahead(source, presses)


def _waiting(terminal: int) -> int:
    """Return how many bytes of whole lines there are to read."""
    count = array.array("i", [0])
    fcntl.ioctl(terminal, termios.FIONREAD, count)
    return count[0]

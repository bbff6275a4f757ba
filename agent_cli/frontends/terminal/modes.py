"""The terminal's mode: ours while a session runs, and what it was before when it ends.

In ours keys are not echoed, and come as they were pressed: Enter stays Enter, and is not the
character of Ctrl+J, whenever it was typed. Prompts begin with it and go back to it.
"""

import termios
from collections.abc import Generator, Mapping
from contextlib import contextmanager, suppress
from typing import Any

from prompt_toolkit.input import create_input

from agent_cli.frontends.terminal.typed_ahead import take_what_was_typed
from agent_cli.processes.watchdog import Watchdog

_INPUT, _LOCAL, _CHARACTERS = 0, 3, 6
"""Places in what `termios.tcgetattr` returns."""
_CHANGED = {
    _INPUT: {
        name: getattr(termios, name.upper())
        for name in ("icrnl", "inlcr", "igncr", "ixon", "ixoff")
    },
    _LOCAL: {
        name: getattr(termios, name.upper())
        for name in ("icanon", "echo", "iexten", "isig", "noflsh")
    },
}
"""What any of our modes changes, by the words of `stty`."""
_KEYS = {"quit": termios.VQUIT, "susp": termios.VSUSP}
_DELETE = 127


@contextmanager
def own_mode(descriptor: int, environ: Mapping[str, str]) -> Generator[None, None, None]:
    """Have our mode for as long; whatever becomes of us, what was before is restored."""
    try:
        before = termios.tcgetattr(descriptor)
    except termios.error:  # it is no terminal that could be set
        yield
        return
    watchdog = Watchdog(descriptor, _words(before), environ)
    take_what_was_typed(create_input())
    termios.tcsetattr(descriptor, termios.TCSANOW, _ours(descriptor))
    try:
        yield
    finally:
        with suppress(termios.error):  # the terminal is gone
            termios.tcsetattr(descriptor, termios.TCSANOW, before)
        watchdog.dismiss()


def _ours(descriptor: int) -> list[Any]:
    mode = termios.tcgetattr(descriptor)
    mode[_INPUT] &= ~(termios.ICRNL | termios.INLCR | termios.IGNCR)
    mode[_LOCAL] &= ~(termios.ECHO | termios.ICANON)
    mode[_LOCAL] |= termios.NOFLSH  # a signal drops nothing, and the watchdog knows it is ours
    mode[_CHARACTERS][termios.VMIN] = 1
    mode[_CHARACTERS][termios.VTIME] = 0
    return mode


def _words(mode: list[Any]) -> list[str]:
    """Return what `stty` has to be told to set what we change as it is there."""
    words = [
        name if mode[place] & bit else f"-{name}"
        for place, flags in _CHANGED.items()
        for name, bit in flags.items()
    ]
    for name, place in _KEYS.items():
        words += [name, _key(mode[_CHARACTERS][place])]
    if not mode[_LOCAL] & termios.ICANON:
        for name, place in (("min", termios.VMIN), ("time", termios.VTIME)):
            words += [name, str(mode[_CHARACTERS][place])]
    return words


def _key(character: bytes) -> str:
    code = character[0]
    if code == 0:
        return "undef"
    if code == _DELETE:
        return "^?"
    return f"^{chr(code + 64)}" if code < 32 else str(code)  # noqa: PLR2004 - a control character

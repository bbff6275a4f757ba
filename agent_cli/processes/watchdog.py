"""Sees to the terminal when we cannot any more: a shell that waits for our end, kill -9 included.

It is in a session of its own, so that no key and no hangup of the terminal ends it before us, and
reads from a pipe whose other end only we have. A word there sends it away. If the pipe just ends,
it puts back what we changed of the terminal's mode, unless somebody did so already: a shell with
job control does, and has set its own mode by then. `noflsh` is set in our modes and in no other.
"""

import os
import subprocess
from collections.abc import Mapping, Sequence
from contextlib import suppress

_SCRIPT = r"""
trap '' HUP INT QUIT TERM TSTP TTOU
read -r word && exit
exec <&1
case $(stty -a) in
*[!-]noflsh*)
    stty "$@"
    printf '\033[?2004l'
esac
printf '\033[?25h\033[?7h\033[?1l\033[0m'
"""
"""Leaves with the mode that was: no bracketed paste, a cursor, lines that wrap, keys, no colour."""
_DISMISSED = b"ok\n"
_LOST = 2.0
"""Seconds after which a shell that was sent away is taken for lost."""


class Watchdog:
    """Restores the terminal with these words for `stty`, unless it is dismissed."""

    def __init__(self, terminal: int, words: Sequence[str], environ: Mapping[str, str]) -> None:
        """Start it; where there is no shell, nobody watches."""
        self._shell: subprocess.Popen[bytes] | None = None
        with suppress(OSError):
            self._shell = subprocess.Popen(
                ["/bin/sh", "-c", _SCRIPT, "agent-terminal", *words],
                stdin=subprocess.PIPE,
                stdout=terminal,
                stderr=subprocess.DEVNULL,
                cwd="/",
                env={"PATH": environ.get("PATH", os.defpath)},
                start_new_session=True,
            )

    def dismiss(self) -> None:
        """Send it away: the terminal is as it was."""
        if self._shell is None:
            return
        try:
            self._shell.communicate(_DISMISSED, _LOST)
        except subprocess.TimeoutExpired:
            self._shell.kill()
            self._shell.communicate()

"""Standard output and standard error of a run that nobody may be reading.

The work does not depend on its reader: what cannot be written any more is dropped, standard error
is told why, and the exit status still says how the work ended.
"""

import os
import sys
from typing import IO, TextIO

from agent_cli.i18n.catalog import say


def put(line: str) -> None:
    """Write a line to standard output."""
    _write(sys.stdout, line)


def tell(line: str) -> None:
    """Write a line to standard error."""
    _write(sys.stderr, line)


class Lasting:
    """A stream for those that write by themselves, where writing never fails."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    @property
    def encoding(self) -> str:
        return self._stream.encoding

    def fileno(self) -> int:
        return self._stream.fileno()

    def isatty(self) -> bool:
        return self._stream.isatty()

    def write(self, text: str) -> int:
        try:
            self._stream.write(text)
        except OSError:
            _give_up(self._stream)
        return len(text)

    def flush(self) -> None:
        try:
            self._stream.flush()
        except OSError:
            _give_up(self._stream)


def _write(stream: IO[str], line: str) -> None:
    try:
        stream.write(line + "\n")
        stream.flush()
    except OSError as error:
        _give_up(stream)
        if stream is sys.stdout:
            tell(say("standard output cannot be written: {why}", why=error.strerror))


def _give_up(stream: IO[str]) -> None:
    """Let everything else that is written to the stream disappear, what it holds included."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, stream.fileno())
    os.close(nowhere)

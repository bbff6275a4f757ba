"""Reads a session file line by line, so that its size does not matter."""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import BinaryIO

from agent_cli.sessions.codec import PREFIX, SEED, hash_of, open_line
from agent_cli.types.entries import Envelope

_PIECE = 1024 * 1024


class Reading:
    """What lines hold, up to the first that does not fit its hash or its place.

    Iterate once; what is said of the rest holds when that has come to its end.
    """

    def __init__(self, lines: Iterable[bytes]) -> None:
        self._lines = lines
        self.count = 0
        self.valid_bytes = 0
        self.last_hash = SEED
        self.damage = ""
        """What is wrong behind the valid part; empty if nothing is."""

    def __iter__(self) -> Iterator[Envelope]:
        for line in self._lines:
            if not line.endswith(b"\n"):
                self.damage = "the last line is incomplete"
                return
            envelope = open_line(line[:-1], self.last_hash)
            if envelope is None or envelope.seq != self.count:
                self.damage = f"line {self.count + 1} does not fit its hash or its place"
                return
            self.count += 1
            self.valid_bytes += len(line)
            self.last_hash = hash_of(line)
            yield envelope


def envelopes(path: Path) -> Iterator[Envelope]:
    """Yield the longest valid beginning; raises OSError for a file that cannot be read."""
    with path.open("rb") as file:
        yield from Reading(lines_of(file))


def lines_of(file: BinaryIO) -> Iterator[bytes]:
    """Yield the lines with their ends; of what cannot be a line of ours not more than a piece."""
    while line := file.readline(_PIECE):
        if len(line) == _PIECE and line.startswith(PREFIX):
            line = b"".join([line, *_rest(file, line)])
        yield line


def _rest(file: BinaryIO, line: bytes) -> Iterator[bytes]:
    while line and not line.endswith(b"\n"):
        line = file.readline(_PIECE)
        yield line

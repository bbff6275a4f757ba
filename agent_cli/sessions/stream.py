"""Reads a session file line by line, so that its size does not matter."""

from collections.abc import Iterable, Iterator
from pathlib import Path

from agent_cli.sessions.codec import SEED, hash_of, open_line
from agent_cli.types.entries import Envelope


def envelopes(path: Path) -> Iterator[Envelope]:
    """Yield the longest valid beginning; raises OSError for a file that cannot be read."""
    with path.open("rb") as file:
        yield from opened(file)


def opened(lines: Iterable[bytes]) -> Iterator[Envelope]:
    """Yield what the lines hold, up to the first that does not fit its hash or its place."""
    previous = SEED
    for seq, line in enumerate(lines):
        envelope = open_line(line[:-1], previous) if line.endswith(b"\n") else None
        if envelope is None or envelope.seq != seq:
            return
        previous = hash_of(line)
        yield envelope

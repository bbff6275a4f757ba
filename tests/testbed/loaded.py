"""Session files as tests look at them: all of the entries at once."""

from io import BytesIO
from pathlib import Path
from typing import NamedTuple

from agent_cli.sessions import journal
from agent_cli.sessions.journal import Journal
from agent_cli.sessions.stream import Reading, lines_of
from agent_cli.types.entries import Entry, Envelope


class Loaded(NamedTuple):
    """The longest valid beginning of a journal."""

    envelopes: tuple[Envelope, ...]
    last_hash: str
    valid_bytes: int
    damage: str


def load(data: bytes) -> Loaded:
    reading = Reading(lines_of(BytesIO(data)))
    return Loaded(tuple(reading), reading.last_hash, reading.valid_bytes, reading.damage)


def read(path: Path) -> Loaded:
    """Read the file as the program does, and see that it says what the lines do."""
    given = journal.read(path, list)
    loaded = load(path.read_bytes())
    assert (given.value, given.damage) == (entries(loaded), loaded.damage)
    return loaded


def reopen(path: Path) -> tuple[Journal, journal.Loaded[list[Entry]]]:
    return journal.reopen(path, list)


def entries(loaded: Loaded | journal.Loaded[list[Entry]]) -> list[Entry]:
    if isinstance(loaded, Loaded):
        return [envelope.entry for envelope in loaded.envelopes]
    return loaded.value

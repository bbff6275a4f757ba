"""A vocabulary, and what telemetry makes of a story, for tests of what is counted and exported."""

from collections.abc import Iterable

from agent_cli.telemetry.facts import Fact, Vocabulary
from agent_cli.telemetry.reader import Reader, ended, read
from agent_cli.types.entries import Entry

SECOND = 10**9
WORDS = Vocabulary(
    frozenset({"read_file", "new_task", "attempt_completion"}),
    {"test": frozenset({"model"}), "replay": frozenset()},
)


def facts_of(entries: Iterable[Entry], *, first: int = 1) -> list[Fact]:
    """What is told of entries that come one a second, the end of all work included."""
    reader, told = Reader(WORDS), list[Fact]()
    for seconds, entry in enumerate(entries, first):
        reader, facts = read(reader, seconds * SECOND, entry)
        told += facts
    return [*told, *ended(reader)]

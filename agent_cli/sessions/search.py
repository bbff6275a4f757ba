"""Full text search in a session file, a line at a time."""

import re
from collections.abc import Iterator
from pathlib import Path

from msgspec import Struct

from agent_cli.sessions.stream import envelopes
from agent_cli.types.entries import (
    AssistantSaid,
    CallFinished,
    Entry,
    HistoryCompacted,
    Interrupted,
    SessionRenamed,
    TaskStarted,
    UserSaid,
)
from agent_cli.types.queued_input import InputQueued

_BEFORE, _AFTER = 40, 80
"""Characters of context that an excerpt has."""


class Hit(Struct, frozen=True):
    seq: int
    at: str
    where: str
    """`user`, `model`, `call`, `result` or `title`."""
    excerpt: str


def search(path: Path, words: tuple[str, ...]) -> Iterator[Hit]:
    """Yield the texts in which all words occur, in any case; raises OSError.

    Only one line of the file is held at a time, and a damaged file is searched up to the damage.
    """
    patterns = [re.compile(re.escape(word), re.IGNORECASE) for word in words]
    for envelope in envelopes(path):
        for where, text in texts(envelope.entry):
            found = [pattern.search(text) for pattern in patterns]
            if found and found[0] and all(found):
                yield Hit(envelope.seq, envelope.at, where, _excerpt(text, found[0]))


def texts(entry: Entry) -> Iterator[tuple[str, str]]:
    """Yield what people and models can read in the entry, and whose it is."""
    match entry:
        case UserSaid(text) | InputQueued(text):
            yield "user", text
        case TaskStarted(message=text) | HistoryCompacted(text) | Interrupted(partial_text=text):
            yield "model", text
        case AssistantSaid(message):
            yield "model", message.text
            for call in message.calls:
                yield "call", f"{call.name} {call.arguments}"
        case CallFinished(result, completion):
            yield "result", completion or result.content
        case SessionRenamed(title):
            yield "title", title
        case _:
            pass


def _excerpt(text: str, found: re.Match[str]) -> str:
    start, end = max(found.start() - _BEFORE, 0), found.end() + _AFTER
    cut = " ".join(text[start:end].split())
    return f"{'…' if start else ''}{cut}{'…' if end < len(text) else ''}"

"""Parts a text into chunks that can be found: along its definitions where a grammar tells them."""

import re

from msgspec import Struct

from agent_cli.index.definitions import definitions
from agent_cli.index.grammars import language_of

WANTED = 1000
"""Characters after which a chunk ends."""
LONGEST = 1150
"""Characters, so that a short rest is not parted."""
SHORTEST = 200
"""Characters below which a definition goes on the chunk before it."""
_ABOVE = re.compile(r"\s*(@|#(?!include|define|if|endif)|//|/\*|\*)")
"""Begins a line that belongs to the definition below it: a decorator or a comment."""


class Chunk(Struct, frozen=True):
    """Lines count from one; a line that is too long is in several chunks."""

    first: int
    last: int
    text: str
    heads: str
    """First lines of the definitions that begin in it."""


def chunks(path: str, body: str) -> list[Chunk]:
    """Return the parts of a file's text, white space left out."""
    lines = body.split("\n")
    language = language_of(path)
    found = definitions(body.encode("utf-8", "replace"), language) if language else None
    firsts = {one.first for one in found or ()}
    starts = {_with_what_is_above(first, lines) for first in firsts}
    parts = _parts(lines, starts)
    return [
        Chunk(
            first,
            last,
            text,
            "\n".join(lines[n - 1] for n in range(first, last + 1) if n in firsts),
        )
        for first, last, text in parts
        if text.strip()
    ]


def _with_what_is_above(first: int, lines: list[str]) -> int:
    while first > 1 and _ABOVE.match(lines[first - 2]):
        first -= 1
    return first


def _parts(lines: list[str], starts: set[int]) -> list[tuple[int, int, str]]:
    """Return first line, last line and text of each part."""
    parts: list[tuple[int, int, str]] = []
    held: list[str] = []
    size, begun = 0, 1

    def close(before: int) -> None:
        nonlocal held, size, begun
        if held:
            parts.append((begun, before - 1, "\n".join(held)))
        held, size, begun = [], 0, before

    for number, line in enumerate(lines, 1):
        full = size + len(line) > LONGEST or (size >= WANTED and number not in starts)
        if full or (number in starts and size >= SHORTEST):
            close(number)
        if len(line) > LONGEST:
            pieces = range(0, len(line), WANTED)
            parts += [(number, number, line[at : at + WANTED]) for at in pieces]
            begun = number + 1
            continue
        held.append(line)
        size += len(line) + 1
    close(len(lines) + 1)
    return parts

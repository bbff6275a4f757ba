"""Where the definitions of a source text begin and end."""

import re
import time
from collections.abc import Iterator

from msgspec import Struct

from agent_cli.index.grammars import BODIED, MARKDOWN, Loaded, load

LARGEST = 400_000
"""Bytes that are parsed; what a larger text defines is not told."""
SECONDS = 2.0
"""For one text: some grammars can be led astray."""
_PIECE = 65_536
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
_HEADING = re.compile(r" {0,3}(#{1,6})(?:[ \t]|$)")
_UNDERLINE = re.compile(r" {0,3}(=+|-+)[ \t]*$")


class Definition(Struct, frozen=True):
    """Lines count from one; the last one belongs to it."""

    first: int
    last: int
    level: int = 0
    """Of a heading, from 1."""


def definitions(data: bytes, language: str) -> tuple[Definition, ...] | None:
    """Return what a text defines, in the order of first lines; one definition a line.

    None if it cannot be told: no grammar, or too large, or it takes too long.
    """
    if len(data) > LARGEST:
        return None
    if language == MARKDOWN:
        return _sections(data.decode("utf-8", "replace").splitlines())
    grammar = load(language)
    return None if grammar is None else _parsed(data, grammar)


def _parsed(data: bytes, grammar: Loaded) -> tuple[Definition, ...] | None:
    from tree_sitter import Parser, QueryCursor  # noqa: PLC0415 - as in grammars.py

    deadline = time.monotonic() + SECONDS
    try:
        # Piece by piece, and asked about progress, it lets other threads run in between.
        tree = Parser(grammar.language).parse(
            lambda offset, _: data[offset : offset + _PIECE],
            progress_callback=lambda _offset, _error: time.monotonic() > deadline,
        )
    except ValueError:  # out of time
        return None
    found: dict[int, int] = {}
    for node in QueryCursor(grammar.query).captures(tree.root_node).get("definition", []):
        if node.type in BODIED and node.child_by_field_name("body") is None:
            continue
        first, last = node.start_point.row + 1, node.end_point.row + 1
        found[first] = max(last, found.get(first, 0))
    return tuple(Definition(first, found[first]) for first in sorted(found))


def _sections(lines: list[str]) -> tuple[Definition, ...]:
    """Return each heading with what comes before the next one of its level or above."""
    headings = list(_headings(lines))
    found: list[Definition] = []
    for place, (first, level) in enumerate(headings):
        following = (line for line, other in headings[place + 1 :] if other <= level)
        found.append(Definition(first, next(following, len(lines) + 1) - 1, level))
    return tuple(found)


def _headings(lines: list[str]) -> Iterator[tuple[int, int]]:
    """Yield line and level of the headings, those in fenced code excepted."""
    fence = ""
    for number, line in enumerate(lines, 1):
        marks = _FENCE.match(line)
        if fence:
            closes = marks and marks[1].startswith(fence) and not line[marks.end() :].strip()
            fence = "" if closes else fence
        elif marks:
            fence = marks[1]
        elif heading := _HEADING.match(line):
            yield number, len(heading[1])
        elif (under := _UNDERLINE.match(line)) and number > 1 and _is_text(lines[number - 2]):
            yield number - 1, 1 if under[1][0] == "=" else 2


def _is_text(line: str) -> bool:
    """Whether an underline would make the line a heading."""
    return bool(line.strip()) and not (
        _HEADING.match(line) or _UNDERLINE.match(line) or line.lstrip()[0] in ">|-*+"
    )

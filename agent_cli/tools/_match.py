"""Where a block's search lines stand in a file.

Lines are compared one by one, so the layout must agree: blank lines stand where blank lines
stand. The strictest rule that finds a place decides; of several places the one nearest to the
start line, within forty lines of it, and without a start line there may be only one.
"""

import re
from collections.abc import Callable
from contextlib import suppress

from msgspec import Struct

from agent_cli.tools._patch import Block
from agent_cli.types.errors import ToolError

WINDOW = 40
"""Lines by which a start line may be wrong."""

_NUMBERED = re.compile(r"\s*(\d+)\s+\|(?!\|) ?(.*)")
_LOOSELY_NUMBERED = re.compile(r"\s*(?:\d+\s)?\|\s(.*)")
_PLAIN = str.maketrans(
    {
        "\u201c": '"', "\u201d": '"', "\u2018": "'", "\u2019": "'",
        "\u2026": "...", "\u2013": "-", "\u2014": "-", "\u00a0": " ",
    }
)  # fmt: skip


def normalised(text: str) -> str:
    """Fold typographic characters, runs of blanks and blanks at both ends."""
    return " ".join((text if text.isascii() else text.translate(_PLAIN)).split())


class Rule(Struct, frozen=True):
    """A way to compare two lines."""

    name: str
    """What it ignores; empty for the exact rule."""
    key: Callable[[str], str]

    @property
    def keeps_indentation(self) -> bool:
        return self.key is not normalised


RULES = (
    Rule("", str),
    Rule("trailing blanks", str.rstrip),
    Rule("differences in blanks and quotation marks", normalised),
)


class Reading(Struct, frozen=True):
    """One way to understand a block."""

    search: tuple[str, ...]
    replace: tuple[str, ...]
    start_line: int
    name: str = ""
    """What was taken away from the block's lines."""


class Match(Struct, frozen=True):
    place: int
    """Index of the first matched line."""
    reading: Reading
    rule: Rule

    @property
    def tolerance(self) -> str:
        """How the match was not exact, for the model; empty if it was."""
        ignored = f"ignoring {self.rule.name}" if self.rule.name else ""
        return ", ".join(filter(None, (self.reading.name, ignored)))


def readings(block: Block) -> tuple[Reading, ...]:
    """Return the ways to understand the block, the literal one first."""
    literal = Reading(block.search, block.replace, block.start_line)
    stripped = _without_numbers(block)
    if stripped is not None:
        return literal, stripped
    loose = Reading(
        tuple(map(_loosely_stripped, block.search)),
        tuple(map(_loosely_stripped, block.replace)),
        block.start_line,
        "without leading numbers and bars",
    )
    return (literal, loose) if loose.search != literal.search else (literal,)


def _without_numbers(block: Block) -> Reading | None:
    """Take line numbers away if every line has one; a blank replacement needs none."""
    search = [_NUMBERED.fullmatch(line) for line in block.search]
    replace = [_NUMBERED.fullmatch(line) for line in block.replace]
    if not all(search) or not (all(replace) or not any(map(str.strip, block.replace))):
        return None
    return Reading(
        tuple(match[2] for match in search if match),
        tuple(match[2] for match in replace if match) if all(replace) else block.replace,
        block.start_line or next((int(match[1][:9]) for match in search if match), 0),
        "without line numbers",
    )


def _loosely_stripped(line: str) -> str:
    match = _LOOSELY_NUMBERED.fullmatch(line)
    return line if match is None else match[1]


def find(lines: list[str], block: Block, expected: Callable[[int], int]) -> Match | None:
    """Return where the block belongs, None if nowhere; ToolError if that is ambiguous.

    `expected` turns a start line of the file as it was read into an index of `lines`.
    """
    for reading in readings(block):
        near = expected(reading.start_line) if reading.start_line else None
        for rule in RULES:
            places = _places(lines, list(map(rule.key, reading.search)), rule, near)
            if places:
                return Match(_only(places, near), reading, rule)
    return None


def _places(lines: list[str], search: list[str], rule: Rule, near: int | None) -> list[int]:
    """Return where the lines are such, by the rule; not farther than the window from `near`."""
    start = 0 if near is None else max(0, near - WINDOW)
    stop = len(lines) if near is None else near + WINDOW + len(search)
    keys = lines if rule.key is str and near is None else list(map(rule.key, lines[start:stop]))
    places: list[int] = []
    place = -1
    with suppress(ValueError):  # there is no further one
        while True:
            place = keys.index(search[0], place + 1)
            if keys[place : place + len(search)] == search:
                places.append(start + place)
    return places


def _only(places: list[int], near: int | None) -> int:
    nearest = places if near is None else _nearest(places, near)
    if len(nearest) > 1:
        shown = ", ".join(str(place + 1) for place in nearest[:5])
        raise ToolError(
            f"the search text stands in {len(nearest)} places alike (lines {shown}): "
            "give the :start_line: of the one that is meant, or more lines around it"
        )
    return nearest[0]


def _nearest(places: list[int], near: int) -> list[int]:
    distance = min(abs(place - near) for place in places)
    return [place for place in places if abs(place - near) == distance]

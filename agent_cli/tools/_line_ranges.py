"""Ranges of lines, in every form in which models write them."""

import re
from typing import Annotated, TypeAlias

from msgspec import Meta, Struct

from agent_cli.types.errors import ToolError

_RANGE = re.compile(r"\s*(\d{1,9})\s*-\s*(\d{1,9})\s*")
_Pair: TypeAlias = Annotated[tuple[int, ...], Meta(min_length=2, max_length=2)]


class LineRange(Struct, frozen=True, forbid_unknown_fields=True):
    start: int
    end: int


Written: TypeAlias = str | _Pair | LineRange


def parsed(written: str | tuple[int, ...] | LineRange) -> tuple[int, int]:
    """Return first and last line; raises ToolError."""
    if isinstance(written, LineRange):
        first, last = written.start, written.end
    elif isinstance(written, str):
        match = _RANGE.fullmatch(written)
        if match is None:
            raise ToolError(f'the line range {written!r} is not of the form "first-last"')
        first, last = int(match[1]), int(match[2])
    else:
        first, last = written
    if not 1 <= first <= last:
        raise ToolError(f"the line range {first}-{last} does not go from a line to a later one")
    return first, last


def joined(ranges: list[tuple[int, int]]) -> tuple[tuple[int, int], ...]:
    """Return the ranges in order and apart from one another."""
    found: list[tuple[int, int]] = []
    for first, last in sorted(ranges):
        if found and first <= found[-1][1] + 1:
            found[-1] = (found[-1][0], max(found[-1][1], last))
        else:
            found.append((first, last))
    return tuple(found)

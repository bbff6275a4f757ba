"""A unified diff read back: its lines with their numbers, and the words that differ.

The text is untrusted; lines come out of here safe to show.
"""

import re
from collections.abc import Iterator, Sequence
from enum import StrEnum

from msgspec import Struct

from agent_cli.frontends.sanitiser import visible

_HUNK = re.compile(r"@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@")
_TOKENS = re.compile(r"\w+|\s+|[^\w\s]")
_LONGEST = 600
"""Characters of a line in which differing words are looked for."""
_MOST_PAIRS = 400
_ALIKE = 0.4
"""Lines that have less in common are different lines, not one that was changed."""
_MINUS = "\N{MINUS SIGN}"


class Sign(StrEnum):
    ADDED = "+"
    REMOVED = "-"
    KEPT = " "
    FILE = "f"
    """A file's name."""
    REMARK = "\\"
    """What is said of the file or of the line before."""
    BREAK = "@"
    """Lines between this place and the one before are left out."""


class DiffLine(Struct, frozen=True):
    sign: Sign
    text: str
    number: int = 0
    """In the new file; of a removed line, in the old one."""
    marks: tuple[tuple[int, int], ...] = ()
    """From where to where in the text it differs from the line that it is a change of."""


def diff_lines(unified: str) -> list[DiffLine]:
    """Return the lines of a diff of one file or of several."""
    return _marked(list(_read(unified.removesuffix("\n").split("\n"))))


def counted(unified: str) -> tuple[int, int]:
    """Return how many lines are added and how many are removed."""
    signs = [line.sign for line in _read(unified.removesuffix("\n").split("\n"))]
    return signs.count(Sign.ADDED), signs.count(Sign.REMOVED)


def in_short(added: int, removed: int) -> str:
    """Return such counts as a person reads them."""
    return f"+{added} {_MINUS}{removed}"


def _read(lines: Sequence[str]) -> Iterator[DiffLine]:
    old = new = old_end = new_end = 0
    fresh = True
    for line in lines:
        sign, text = line[:1], visible(line[1:])
        inside = old < old_end or new < new_end
        if inside and sign in ("+", "-", " ", ""):
            number = old if sign == "-" else new
            old += sign != "+"
            new += sign != "-"
            yield DiffLine(Sign(sign or " "), text, number)
        elif found := _HUNK.match(line):
            old, new = int(found[1]), int(found[3])
            old_end, new_end = old + int(found[2] or "1"), new + int(found[4] or "1")
            if not fresh:
                yield DiffLine(Sign.BREAK, "")
            fresh = False
        elif line.startswith("+++ "):
            fresh = True
            yield DiffLine(Sign.FILE, line[4:])
        elif line and not line.startswith("--- "):
            yield DiffLine(Sign.REMARK, line.removeprefix("\\ "))


def _marked(lines: list[DiffLine]) -> list[DiffLine]:
    """Mark the words that differ where as many lines came as went."""
    start, pairs = 0, 0
    while start < len(lines):
        removed = _run(lines, start, Sign.REMOVED)
        added = _run(lines, removed, Sign.ADDED)
        count = removed - start
        if count and count == added - removed and pairs + count <= _MOST_PAIRS:
            pairs += count
            for at in range(start, removed):
                lines[at], lines[at + count] = _pair(lines[at], lines[at + count])
        start = max(added, start + 1)
    return lines


def _run(lines: Sequence[DiffLine], start: int, sign: Sign) -> int:
    while start < len(lines) and lines[start].sign is sign:
        start += 1
    return start


def _pair(old: DiffLine, new: DiffLine) -> tuple[DiffLine, DiffLine]:
    if max(len(old.text), len(new.text)) > _LONGEST:
        return old, new
    before, after = _TOKENS.findall(old.text), _TOKENS.findall(new.text)
    from difflib import SequenceMatcher  # noqa: PLC0415 - 5 ms, for who sees a change

    compared = SequenceMatcher(None, before, after, autojunk=False)
    if compared.ratio() < _ALIKE:
        return old, new
    gone: list[tuple[int, int]] = []
    came: list[tuple[int, int]] = []
    for tag, i1, i2, j1, j2 in compared.get_opcodes():
        if tag != "equal":
            gone.append((len("".join(before[:i1])), len("".join(before[:i2]))))
            came.append((len("".join(after[:j1])), len("".join(after[:j2]))))
    return (
        DiffLine(old.sign, old.text, old.number, tuple(one for one in gone if one[0] < one[1])),
        DiffLine(new.sign, new.text, new.number, tuple(one for one in came if one[0] < one[1])),
    )

"""Text of files as models and people see it: numbered lines and unified diffs."""

import difflib
from collections.abc import Iterator
from typing import TypeAlias

from msgspec.structs import replace

from agent_cli.types.approval import Diff
from agent_cli.types.errors import ToolError
from agent_cli.workspace.editor import Text, decode, printable, texts_and_ends

_CONTEXT = 3
_COMPARED = 1_000_000
"""Pairs of lines; where more differ, the whole differing part is shown as replaced."""

_AT_ONCE = 1024
"""Lines that are compared in one step."""

_Opcode: TypeAlias = tuple[str, int, int, int, int]
_Lines: TypeAlias = tuple[list[str], list[str]]
"""Texts and ends."""


def numbered(lines: list[str], first: int, width: int = 0) -> list[str]:
    """Return the lines with right-aligned numbers in front."""
    width = max(width, len(str(first + len(lines) - 1)))
    return [f"{number:>{width}} | {text}" for number, text in enumerate(lines, first)]


def editable(data: bytes | None, path: str) -> Text:
    """Return the file's text; ToolError where there is no file, or no text in it."""
    if data is None:
        raise ToolError(f"there is no file {path!r}: write_to_file makes new files")
    text = decode(data)
    if text.is_binary:
        raise ToolError(f"{path!r} is a binary file and cannot be edited as text")
    return text


def edit(path: str, before: str, after: Text) -> Diff:
    """Return the change of a file, with what it leaves there."""
    return replace(diff(path, before, after.body), after=after.encode())


def diff(path: str, before: str, after: str) -> Diff:
    """Return the change as a unified diff; line ends show as LF, whatever they are."""
    old, new = texts_and_ends(before), texts_and_ends(after)
    out = [f"--- {path}", f"+++ {path}"]
    for hunk in _hunks(_opcodes(old, new)):
        out.append(_header(hunk))
        for tag, i1, i2, j1, j2 in hunk:
            if tag == "equal":
                out.extend(_side(" ", old, i1, i2))
            else:
                out.extend((*_side("-", old, i1, i2), *_side("+", new, j1, j2)))
    return Diff(path, "\n".join(out) + "\n")


def _part(lines: _Lines, start: int, stop: int) -> list[tuple[str, str]]:
    texts, ends = lines
    return list(zip(texts[start:stop], ends[start:stop], strict=True))


def _side(sign: str, lines: _Lines, start: int, stop: int) -> Iterator[str]:
    for text, end in _part(lines, start, stop):
        yield sign + printable(text)
        if not end:
            yield "\\ No newline at end of file"


def _opcodes(old: _Lines, new: _Lines) -> list[_Opcode]:
    """Compare, trimming what is equal at both ends first: comparing is slow."""
    length, new_length = len(old[0]), len(new[0])
    head = min(map(_common, old, new))
    tail = min(_common(a[head:][::-1], b[head:][::-1]) for a, b in zip(old, new, strict=True))
    end, new_end = length - tail, new_length - tail
    if (end - head) * (new_end - head) > _COMPARED:
        middle: list[_Opcode] = [("replace", head, end, head, new_end)]
    else:
        parts = _part(old, head, end), _part(new, head, new_end)
        matcher = difflib.SequenceMatcher(None, *parts)
        middle = [
            (tag, i1 + head, i2 + head, j1 + head, j2 + head)
            for tag, i1, i2, j1, j2 in matcher.get_opcodes()
        ]
    around = [("equal", 0, head, 0, head), ("equal", end, length, new_end, new_length)]
    return [
        code for code in (around[0], *middle, around[1]) if code[1] < code[2] or code[3] < code[4]
    ]


def _common(old: list[str], new: list[str]) -> int:
    """Return how many are the same at the beginning."""
    count, most = 0, min(len(old), len(new))
    while count < most and old[count : count + _AT_ONCE] == new[count : count + _AT_ONCE]:
        count += _AT_ONCE
    while count < most and old[count] == new[count]:
        count += 1
    return min(count, most)


def _hunks(opcodes: list[_Opcode]) -> Iterator[list[_Opcode]]:
    """Cut what is equal down to the context, and part the changes where more lies between."""
    hunk: list[_Opcode] = []
    last = len(opcodes) - 1
    for place, (tag, i1, i2, j1, j2) in enumerate(opcodes):
        if tag != "equal":
            hunk.append((tag, i1, i2, j1, j2))
            continue
        length = i2 - i1
        after = 0 if place == 0 else min(_CONTEXT, length)
        before = 0 if place == last else min(_CONTEXT, length)
        if after + before >= length:
            hunk.append((tag, i1, i2, j1, j2))
            continue
        if hunk:
            yield [*hunk, (tag, i1, i1 + after, j1, j1 + after)]
        hunk = [(tag, i2 - before, i2, j2 - before, j2)]
    if any(code[0] != "equal" for code in hunk):
        yield hunk


def _header(hunk: list[_Opcode]) -> str:
    i1, i2, j1, j2 = hunk[0][1], hunk[-1][2], hunk[0][3], hunk[-1][4]
    return f"@@ -{_range(i1, i2)} +{_range(j1, j2)} @@"


def _range(start: int, stop: int) -> str:
    length = stop - start
    first = start + 1 if length else start
    return str(first) if length == 1 else f"{first},{length}"

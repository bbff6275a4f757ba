"""Breaks lines of styled text to a width, measured in the cells of a terminal."""

import re
from collections.abc import Iterator

from rich.cells import cell_len, chop_cells

from agent_cli.frontends.terminal.highlight import Spans

_WORD = re.compile(
    r"[ \t]+|[\u2e80-\u9fff\uf900-\ufaff\uff01-\uff60\U00020000-\U0003ffff]"
    r"[\u3001\u3002\uff0c\uff0e\uff01\uff1f\uff1a\uff1b\u300d\u300f\uff09]*"
    r"|[^ \t\u2e80-\u9fff\uf900-\ufaff\uff01-\uff60\U00020000-\U0003ffff]+"
)
"""Blanks, a word, or one of the signs that a line may be broken behind without a blank."""


def wrapped(spans: Spans, width: int) -> Iterator[Spans]:
    """Return lines broken between words; a line end in a text ends a line."""
    for line in _lines(spans):
        text = "".join([text for text, _ in line])
        if _cells(text) <= width:
            yield line
        else:
            yield from _cut(line, _breaks(text, width), stripped=True)


def folded(spans: Spans, width: int) -> Iterator[Spans]:
    """Return the one line broken wherever it is too long: no sign of it is lost."""
    text = "".join([text for text, _ in spans])
    if _cells(text) <= width:
        yield spans
        return
    ends: list[int] = []
    for part in _chopped(text, width):
        ends.append(len(part) + (ends[-1] if ends else 0))
    yield from _cut(spans, ends, stripped=False)


def _chopped(text: str, width: int) -> list[str]:
    if text.isascii():
        width = max(width, 1)
        return [text[start : start + width] for start in range(0, len(text), width)]
    return chop_cells(text, max(width, 2))


def _cells(text: str) -> int:
    return len(text) if text.isascii() else cell_len(text)


def _lines(spans: Spans) -> Iterator[Spans]:
    line: Spans = []
    for text, style in spans:
        if "\n" not in text:
            line.append((text, style))
            continue
        first, *others = text.split("\n")
        line.append((first, style))
        for other in others:
            yield line
            line = [(other, style)]
    yield line


def _breaks(text: str, width: int) -> list[int]:
    """Return where each line of the text ends."""
    ends: list[int] = []
    used = 0
    for found in _WORD.finditer(text):
        word = found[0]
        cells = _cells(word)
        if used + cells <= width or word.isspace():
            used += cells
            continue
        if used:
            ends.append(found.start())
        used = cells
        if cells > width:
            *full, last = _chopped(word, width)
            end = found.start()
            for part in full:
                end += len(part)
                ends.append(end)
            used = _cells(last)
    return [*ends, len(text)]


def _cut(spans: Spans, ends: list[int], *, stripped: bool) -> Iterator[Spans]:
    """Return the spans in lines that end there; `stripped`: without blanks at a line's end."""
    at = 0
    line: Spans = []
    remaining = iter(ends)
    end = next(remaining)
    for text, style in spans:
        start = 0
        while at + len(text) - start > end:
            cut = start + end - at
            line.append((text[start:cut], style))
            yield without_end(line) if stripped else line
            line, at, start = [], end, cut
            end = next(remaining)
        line.append((text[start:], style))
        at += len(text) - start
    yield without_end(line) if stripped else line


def without_end(line: Spans) -> Spans:
    """Return the line without blanks at its end."""
    while line:
        text, style = line[-1]
        if bare := text.rstrip(" "):
            line[-1] = (bare, style)
            break
        line.pop()
    return line

"""Tables, with columns as broad as they have to be and as there is room for.

Where there is no room for columns, each row is a list of its cells, with the heads as names.
"""

from collections.abc import Iterator, Sequence
from itertools import zip_longest

from rich.cells import cell_len

from agent_cli.frontends.terminal.highlight import Spans
from agent_cli.frontends.terminal.markdown_inline import inline
from agent_cli.frontends.terminal.markdown_page import Leaf, cells
from agent_cli.frontends.terminal.theme import Theme
from agent_cli.frontends.terminal.wrapping import without_end, wrapped

_GAP = " │ "
_CROSS = "─┼─"
_NARROW = 8
"""Columns that a cell's text can be broken in."""


def table(leaf: Leaf, theme: Theme, room: int) -> Iterator[Spans]:
    """Return the lines of the table, or of a part of it; all parts have the same columns."""
    head, delimiters, *models = leaf.model
    names = cells(head)
    sides = [(cell.startswith(":"), cell.endswith(":")) for cell in cells(delimiters)]
    shown = [names, *(_fitting(cells(line), len(names)) for line in models)]
    natural = [max([_width(cell, theme) for cell in column]) for column in zip(*shown, strict=True)]
    widths = _fitted(natural, room - len(_GAP) * (len(names) - 1))
    rows = (
        [_fitting(cells(line), len(names)) for line in leaf.lines] if leaf.continued else shown[1:]
    )
    if widths is None:
        yield from _stacked(names, rows, theme, room)
        return
    if not leaf.continued:
        yield from _row(names, widths, sides, theme, theme.strong)
        yield [(_CROSS.join(["─" * width for width in widths]), theme.marker)]
    for row in rows:
        yield from _row(row, widths, sides, theme)


def _width(cell: str, theme: Theme) -> int:
    return cell_len("".join([text for text, _ in inline(cell, theme)]))


def _fitted(natural: Sequence[int], room: int) -> list[int] | None:
    """Return the widths that fit, taken from the broadest columns; None if there are none."""
    if sum(min(width, _NARROW) for width in natural) > room:
        return None
    widths = list(natural)
    left, columns = room, len(widths)
    for width in sorted(natural):
        share = left // columns
        if width > share:
            return [min(one, max(share, min(one, _NARROW))) for one in natural]
        left, columns = left - width, columns - 1
    return widths


def _fitting(row: list[str], columns: int) -> list[str]:
    """Return the row with so many cells; what is too much goes into the last one."""
    if len(row) > columns:
        return [*row[: columns - 1], " | ".join(row[columns - 1 :])]
    return row + [""] * (columns - len(row))


def _row(
    row: Sequence[str],
    widths: Sequence[int],
    sides: Sequence[tuple[bool, bool]],
    theme: Theme,
    style: str = "",
) -> Iterator[Spans]:
    columns = [
        list(wrapped(inline(cell, theme, style), width))
        for cell, width in zip(row, widths, strict=True)
    ]
    for lines in zip_longest(*columns, fillvalue=[]):
        line: Spans = []
        for at, spans in enumerate(lines):
            if at:
                line.append((_GAP, theme.marker))
            line += _aligned(spans, widths[at], sides[at])
        yield without_end(line)


def _aligned(spans: Spans, width: int, sides: tuple[bool, bool]) -> Spans:
    blanks = max(width - cell_len("".join([text for text, _ in spans])), 0)
    match sides:
        case True, True:
            before = blanks // 2
        case False, True:
            before = blanks
        case _:
            before = 0
    return [(" " * before, ""), *spans, (" " * (blanks - before), "")]


def _stacked(
    names: Sequence[str], rows: Sequence[Sequence[str]], theme: Theme, room: int
) -> Iterator[Spans]:
    for number, row in enumerate(rows):
        if number:
            yield []
        for name, cell in zip(names, row, strict=True):
            label = [*inline(name, theme, theme.strong), (": ", theme.strong)]
            yield from wrapped([*label, *inline(cell, theme)], room)

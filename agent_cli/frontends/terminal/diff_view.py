"""A change of files as a person sees it: numbered lines, and in them the words that differ.

Everything in it is untrusted. What could not be seen is shown: control characters, tabs and
blanks at the end of a line that was changed.
"""

import re
from collections.abc import Iterator
from itertools import chain, pairwise

from msgspec import Struct
from rich.cells import cell_len
from rich.console import Console, ConsoleOptions, RenderResult
from rich.segment import Segment
from rich.style import Style

from agent_cli.frontends.sanitiser import in_one_line
from agent_cli.frontends.terminal.diff_lines import DiffLine, Sign, diff_lines
from agent_cli.frontends.terminal.highlight import Spans
from agent_cli.frontends.terminal.theme import Theme
from agent_cli.frontends.terminal.wrapping import folded
from agent_cli.i18n.catalog import say_many

_TAB = 4
_PARTS = re.compile(r"(?P<hidden>[\u2400-\u2421]|<U\+[0-9A-F]{4,6}>)|\t|[^\t\u2400-\u2421<]+|<")
"""What the sanitiser shows in the place of something, a tab, and everything else."""


class DiffView(Struct, frozen=True):
    """Shows a unified diff, laid out for the width that there is when it is printed."""

    unified: str
    theme: Theme
    most: int = 0
    """Lines of it that are shown; the rest is counted. All, if it is 0."""
    names: bool = True
    """Whether the names of files are shown."""
    indent: int = 0

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        for line in self._lines(max(options.max_width - self.indent, 1)):
            yield Segment(" " * self.indent)
            for text, style in line:
                yield Segment(text, Style.parse(style) if style else None)
            yield Segment.line()

    def _lines(self, room: int) -> Iterator[Spans]:
        lines = [line for line in diff_lines(self.unified) if self.names or line.sign != Sign.FILE]
        shown = lines[: self.most] if self.most else lines
        digits = len(str(max([line.number for line in shown], default=0)))
        for line in shown:
            yield from _laid_out(line, self.theme, digits, room)
        if left := len(lines) - len(shown):
            more = say_many("({count} more line)", "({count} more lines)", left)
            yield [(f"{' ' * digits} {more}", self.theme.dim)]


def _laid_out(line: DiffLine, theme: Theme, digits: int, room: int) -> Iterator[Spans]:
    match line.sign:
        case Sign.FILE:
            yield from folded([(in_one_line(line.text), theme.strong)], room)
        case Sign.REMARK:
            yield from folded([(f"{' ' * digits} {in_one_line(line.text)}", theme.dim)], room)
        case Sign.BREAK:
            yield [(f"{'...' if theme.plain else '⋯':>{digits}}", theme.place)]
        case _:
            yield from _numbered(line, theme, digits, room)


def _numbered(line: DiffLine, theme: Theme, digits: int, room: int) -> Iterator[Spans]:
    style, word = {
        Sign.ADDED: (theme.added, theme.added_word),
        Sign.REMOVED: (theme.removed, theme.removed_word),
    }.get(line.sign, ("", ""))
    gutter, space = f"{line.number:>{digits}} {line.sign.value} ", " " * (digits + 3)
    for part in folded(_styled(line, style, word, theme.hidden), max(room - len(gutter), 8)):
        sign: Spans = [(gutter[:digits], theme.dim), (gutter[digits:], style)]
        yield [*sign, *part] if gutter != space else [(space, ""), *part]
        gutter = space


def _styled(line: DiffLine, style: str, word: str, hidden: str) -> Spans:
    """Return the line's text in parts; what would not be seen has a style of its own."""
    text, changed = line.text, line.sign is not Sign.KEPT
    bare = len(text.rstrip(" \t")) if changed else len(text)
    spans: Spans = []
    column = 0
    for start, end in pairwise(sorted({0, bare, len(text), *chain.from_iterable(line.marks)})):
        marked = any(first <= start < last for first, last in line.marks)
        for found in _PARTS.finditer(text, start, end):
            part, is_hidden = found[0], found.lastgroup == "hidden" or start >= bare
            if part == "\t":
                is_hidden = changed
                part = ("→" if changed else " ").ljust(_TAB - column % _TAB)
            elif start >= bare:
                part = "·" * len(part)
            column += cell_len(part)
            spans.append((part, hidden if is_hidden else word if marked else style))
    return spans

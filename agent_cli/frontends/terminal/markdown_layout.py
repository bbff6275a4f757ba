"""Lays blocks of Markdown out in lines of a width, as segments with styles.

It does what rich's own Markdown does for whole texts, at a fraction of the cost: there is one block
at a time, and a line of plain ASCII is measured by its length.
"""

from collections.abc import Iterable, Iterator

from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style

from agent_cli.frontends.terminal.highlight import Spans, coloured, is_known
from agent_cli.frontends.terminal.markdown_inline import inline
from agent_cli.frontends.terminal.markdown_page import Kind, Leaf
from agent_cli.frontends.terminal.markdown_table import table
from agent_cli.frontends.terminal.theme import Theme
from agent_cli.frontends.terminal.wrapping import folded, wrapped

_NARROWEST = 16
"""Columns that a text has at least, whatever stands in front of it."""
_CODE_INDENT = "  "


def laid_out(leaf: Leaf, theme: Theme, width: int) -> Iterator[Segment]:
    """Return the block in lines that are no longer than the width."""
    if leaf.gap:
        yield Segment.line()
    first, rest = leaf.first, leaf.rest
    if cell_len(rest) > width - _NARROWEST:
        first, rest = first[-4:], rest[-4:]
    room = max(width - cell_len(rest), 1)
    bars = Style.parse(theme.marker)
    prefix = first
    for line in _lines(leaf, theme, room):
        if prefix:
            yield Segment(prefix if any(text for text, _ in line) else prefix.rstrip(), bars)
        for text, style in line:
            yield Segment(text, Style.parse(style) if style else None)
        yield Segment.line()
        prefix = rest


def _lines(leaf: Leaf, theme: Theme, room: int) -> Iterable[Spans]:
    match leaf.kind:
        case Kind.PARAGRAPH if leaf.literal:
            return [part for line in leaf.lines for part in folded([(line, "")], room)]
        case Kind.PARAGRAPH:
            return wrapped(inline("\n".join(leaf.lines), theme), room)
        case Kind.HEADING:
            style = theme.top_heading if leaf.level == 1 else theme.heading
            return wrapped(inline(" ".join(leaf.lines), theme, style), room)
        case Kind.CODE:
            return _code(leaf, theme, room)
        case Kind.TABLE:
            return table(leaf, theme, room)
        case Kind.RULE:
            return [[("─" * room, theme.marker)]]


def _code(leaf: Leaf, theme: Theme, room: int) -> Iterator[Spans]:
    language, _, more = leaf.info.partition(" ")
    if language and not leaf.continued and (more or not is_known(language)):
        yield [(leaf.info, theme.dim)]
    if not leaf.lines:
        return
    for line in coloured("\n".join(leaf.lines), language, theme):
        for part in folded(line, room - len(_CODE_INDENT)):
            yield [(_CODE_INDENT, ""), *part] if any(text for text, _ in part) else []

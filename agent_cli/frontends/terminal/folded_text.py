"""Output of a tool, as it is, in lines that are set in; all of it, or a few lines and a count."""

from collections.abc import Iterator

from msgspec import Struct
from rich.console import Console, ConsoleOptions, RenderResult
from rich.segment import Segment
from rich.style import Style

from agent_cli.frontends.sanitiser import visible
from agent_cli.frontends.terminal.theme import Theme
from agent_cli.frontends.terminal.wrapping import folded, wrapped
from agent_cli.i18n.catalog import say_many

_INDENT = 4
_LONGEST = 500
"""Characters of a line that are shown of an output that is not shown whole."""


class FoldedText(Struct, frozen=True):
    """Untrusted text; `most` lines of it are shown, all if that is 0, and the rest counted."""

    text: str
    theme: Theme
    most: int = 0
    at_end: bool = False
    """It is what a program wrote: the last lines of that are shown. Else it is somebody's words."""

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        style = Style.parse(self.theme.dim)
        room = max(options.max_width - _INDENT, 8)
        for line in self.lines():
            for part in (folded if self.at_end else wrapped)([(line, "")], room):
                yield Segment(" " * _INDENT)
                yield from [Segment(text, style) for text, _ in part]
                yield Segment.line()

    def lines(self) -> Iterator[str]:
        """Return the lines to show, and one that says how many are not."""
        text = self.text.replace("\r\n", "\n").removesuffix("\n")
        lines = text.split("\n") if self.text else []
        left = len(lines) - self.most
        if not self.most or (left <= 1 and len(self.text) <= self.most * _LONGEST):
            yield from [visible(line.expandtabs()) for line in lines]
            return
        if self.at_end and left > 0:
            yield _more(left)
        for line in lines[-self.most :] if self.at_end else lines[: self.most]:
            shown = visible(line[:_LONGEST].expandtabs())
            yield f"{shown}…" if len(line) > _LONGEST else shown
        if left > 0 and not self.at_end:
            yield _more(left)


def _more(count: int) -> str:
    return say_many(
        "({count:,} more line; Ctrl+O shows all)", "({count:,} more lines; Ctrl+O shows all)", count
    )

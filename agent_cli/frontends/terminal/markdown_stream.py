"""Markdown as it is written: each block is returned once, when it has ended; nothing is shown.

The cost is linear in the length of the text, whatever it consists of, and which blocks come does
not depend on how the text was cut into pieces. The text is untrusted: it is made visible before
anything is looked for in it.
"""

from msgspec import Struct
from rich.console import Console, ConsoleOptions, RenderableType, RenderResult

from agent_cli.frontends.sanitiser import Sanitiser
from agent_cli.frontends.terminal.markdown_blocks import BlockReader
from agent_cli.frontends.terminal.markdown_page import MOST, Leaf
from agent_cli.frontends.terminal.theme import Theme


class Block(Struct, frozen=True):
    """One finished block; it is laid out when it is printed, for the width that there is."""

    leaf: Leaf
    theme: Theme

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        from agent_cli.frontends.terminal.markdown_layout import (  # noqa: PLC0415 - 30 ms: see there
            laid_out,
        )

        return laid_out(self.leaf, self.theme, options.max_width)


class MarkdownStream:
    """One text at a time."""

    def __init__(self, theme: Theme) -> None:
        self._theme = theme
        self._sanitiser = Sanitiser()
        self._reader = BlockReader()
        self._line: list[str] = []
        """Pieces of the line that has not ended."""
        self._size = 0
        self._parted = False
        """The beginning of that line has been taken already."""

    def feed(self, text: str) -> list[RenderableType]:
        """Take the next piece; return the blocks that have ended."""
        shown = self._sanitiser.feed(text)
        return self._blocks(self._fed(shown)) if shown else []

    def flush(self) -> list[RenderableType]:
        """Return what is left; what is fed from now on is another text."""
        leaves = self._fed(self._sanitiser.flush())
        if self._size:
            leaves += self._take("".join(self._line))
        self._line, self._size, self._parted = [], 0, False
        return self._blocks(leaves + self._reader.close())

    @property
    def tail(self) -> str:
        """What is not in any block yet, as plain text."""
        lines = self._reader.pending()
        return "\n".join([*lines, "".join(self._line)]) if self._size else "\n".join(lines)

    def _fed(self, text: str) -> list[Leaf]:
        *ended, rest = text.split("\n")
        leaves: list[Leaf] = []
        for line in ended:
            leaves += self._grow(line)
            leaves += self._take("".join(self._line)) if self._size or not self._parted else []
            self._line, self._size, self._parted = [], 0, False
        return leaves + self._grow(rest) if rest else leaves

    def _grow(self, text: str) -> list[Leaf]:
        """Add to the line that has not ended; of a very long one, take what is too much."""
        self._line.append(text)
        self._size += len(text)
        if self._size <= MOST:
            return []
        leaves: list[Leaf] = []
        line, start = "".join(self._line), 0
        while len(line) - start > MOST:
            end = line.rfind(" ", start + MOST // 2, start + MOST) + 1 or start + MOST
            leaves += self._take(line[start:end])
            start, self._parted = end, True
        self._line, self._size = [line[start:]], len(line) - start
        return leaves

    def _take(self, line: str) -> list[Leaf]:
        return self._reader.more(line) if self._parted else self._reader.line(line)

    def _blocks(self, leaves: list[Leaf]) -> list[RenderableType]:
        return [Block(leaf, self._theme) for leaf in leaves]

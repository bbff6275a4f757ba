"""What a Markdown text is made of on a page: blocks, and the lists and quotations around them."""

import re
from enum import Enum, auto

from msgspec import Struct

MOST = 4096
"""Characters of a line, and about as many of a paragraph, that are held back."""
_MOST_CODE = 16 * 1024
_MOST_LINES = 200
_FEW_LINES = 24
"""Lines of code after which a line that begins at the edge begins a new part."""

_QUOTE = re.compile(r" {0,3}> ?")
_CELL_END = re.compile(r"(?<!\\)\|")
_LITERAL = re.compile(r"</?[a-zA-Z][\w-]*(?:[\s/>]|$)|<[!?]|\[[^\]]+\]:")
"""How raw HTML begins, and the definition of a link."""


class Kind(Enum):
    PARAGRAPH = auto()
    HEADING = auto()
    CODE = auto()
    TABLE = auto()
    RULE = auto()


class Leaf(Struct, frozen=True):
    """One block, or a part of one."""

    kind: Kind
    lines: tuple[str, ...] = ()
    first: str = ""
    """What stands in front of the first line that is shown."""
    rest: str = ""
    """What stands in front of the others."""
    gap: bool = False
    """An empty line comes before it."""
    level: int = 0
    """Of a heading."""
    info: str = ""
    """What was said behind a fence."""
    model: tuple[str, ...] = ()
    """The lines that the columns of a table follow: those of its first part. The first one is
    the head, the second one the delimiters."""
    continued: bool = False
    """A part that is not the first one."""

    @property
    def literal(self) -> bool:
        """Whether its lines stay lines, and no marks are looked for in it."""
        return bool(self.lines) and _LITERAL.match(self.lines[0]) is not None


def cells(row: str) -> list[str]:
    """Return the cells of a table's row."""
    row = row.strip().removeprefix("|")
    if row.endswith("|") and not row.endswith("\\|"):
        row = row[:-1]
    return [cell.strip().replace("\\|", "|") for cell in _CELL_END.split(row)]


class Container:
    """A quotation, or an item of a list; `width` columns of a line belong to an item's marker."""

    def __init__(self, marker: str = "", width: int = 0) -> None:
        self.width = width
        self.shown = not marker
        self._marker = marker

    def inside(self, line: str) -> str | None:
        """Return what of the line is inside, or None if it is not."""
        if not self.width:
            found = _QUOTE.match(line)
            return line[found.end() :] if found else None
        if line.startswith(" " * self.width):
            return line[self.width :]
        return None if line.strip() else ""

    def prefix(self, *, first: bool) -> str:
        """Return what stands in front of a line inside."""
        if not self.width:
            return "│ "
        if first and not self.shown:
            return f"{self._marker} "
        return " " * (len(self._marker) + 1)


class OpenBlock:
    """The block that is being read."""

    def __init__(self, kind: Kind, *, fence: str = "", indent: int = 0, info: str = "") -> None:
        self.kind = kind
        self.fence = fence
        self.indent = indent
        self.info = info
        self.lines: list[str] = []
        self.model: tuple[str, ...] = ()
        self.continued = False
        self._size = 0

    def add(self, line: str) -> None:
        self.lines.append(line)
        self._size += len(line) + 1

    def is_full(self) -> bool:
        if self.kind is Kind.PARAGRAPH:
            return self._size >= MOST
        return self._size >= _MOST_CODE or len(self.lines) >= _MOST_LINES

    def may_part_before(self, line: str) -> bool:
        """Whether this line of code is a good one to begin a new part with."""
        enough = len(self.lines) >= _FEW_LINES and not self.lines[-1].strip()
        return enough and bool(line) and not line[0].isspace()

    def drop_empty_lines(self) -> bool:
        """Drop empty lines behind indented code, which are none of it; return if there were any."""
        before = len(self.lines)
        while (
            self.kind is Kind.CODE and not self.fence and self.lines and not self.lines[-1].strip()
        ):
            self.lines.pop()
        return len(self.lines) < before

    def begin_part(self) -> None:
        """Forget what has been given away."""
        self.lines, self._size, self.continued = [], 0, True


class Page:
    """Where blocks are put; knows what is around the next one and what stands in front of it."""

    def __init__(self) -> None:
        self.containers: list[Container] = []
        self.open: OpenBlock | None = None
        self.gap = False
        """Empty lines came before what comes next."""
        self._begun = False
        self._done: list[Leaf] = []

    def taken(self) -> list[Leaf]:
        """Return what has been put here, and forget it."""
        done, self._done = self._done, []
        return done

    def add(self, line: str, kind: Kind) -> None:
        """Add a line to the block that is open, or to a new one."""
        if self.open is None:
            self.open = OpenBlock(kind)
        self.open.add(line)
        if self.open.is_full():
            self.part()

    def part(self) -> None:
        """Give away what there is of the open block; it goes on."""
        if self.open is not None:
            self._give(self.open)
            self.open.begin_part()

    def end(self) -> None:
        """Give the open block away."""
        block, self.open = self.open, None
        if block is None:
            return
        blank = block.drop_empty_lines()
        if block.lines or not block.continued:
            self._give(block)
        self.gap = self.gap or blank

    def leave(self, depth: int) -> None:
        """End the open block, and all containers but the outer ones."""
        self.end()
        if any(not container.shown for container in self.containers[depth:]):
            self.put(Kind.PARAGRAPH, ("",))  # an item without anything in it
        del self.containers[depth:]

    def close(self) -> None:
        """End everything; what comes next begins a page of its own."""
        self.leave(0)
        self.gap = self._begun = False

    def _give(self, block: OpenBlock) -> None:
        if block.kind is Kind.TABLE and not block.continued:
            block.model += tuple(block.lines)
        self.put(
            block.kind,
            tuple(block.lines),
            info=block.info,
            model=block.model,
            continued=block.continued,
        )

    def put(
        self,
        kind: Kind,
        lines: tuple[str, ...],
        *,
        level: int = 0,
        info: str = "",
        model: tuple[str, ...] = (),
        continued: bool = False,
    ) -> None:
        """Put a block here that is complete, or a part of one."""
        first = "".join([one.prefix(first=True) for one in self.containers])
        for container in self.containers:
            container.shown = True
        rest = "".join([one.prefix(first=False) for one in self.containers])
        apart = self.gap or kind is Kind.HEADING
        gap = apart and self._begun and not continued
        self._done.append(Leaf(kind, lines, first, rest, gap, level, info, model, continued))
        self._begun, self.gap = True, kind is Kind.HEADING

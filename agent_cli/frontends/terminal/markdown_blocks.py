"""Parts Markdown into blocks, one line after the other, and never looks at a line twice.

What stands in front of a block (bars of quotations, bullets of lists or the space below them) is
a part of it, so that lists and quotations may be of any length. Paragraphs, code and tables that
become long are given away in parts.

Nothing of the text is left out but the marks that say what it is. What is not shown in a way of
its own (raw HTML, definitions of links) is a paragraph that keeps its lines.
"""

import re

from agent_cli.frontends.terminal.markdown_page import (
    Container,
    Kind,
    Leaf,
    OpenBlock,
    Page,
    cells,
)

_DEEPEST = 12
_MOST_COLUMNS = 40
_CODE_INDENT = 4

_MARKER = re.compile(r"( {0,3})([-+*]|\d{1,9}[.)])( +|$)")
_HEADING = re.compile(r" {0,3}(#{1,6})(?: +(.*))?$")
_FENCE = re.compile(r"( {0,3})(`{3,}(?=[^`]*$)|~{3,})[ \t]*(.*)$")
_RULE = re.compile(r" {0,3}(?:(?:\* *){3,}|(?:- *){3,}|(?:_ *){3,})$")
_UNDERLINE = re.compile(r" {0,3}(=+|-+) *$")
_DELIMITER = re.compile(r":?-+:?$")
_QUOTE = re.compile(r" {0,3}> ?")
_BULLETS = "•◦▪"


class BlockReader:
    """Takes whole lines and returns the blocks that ended with them."""

    def __init__(self) -> None:
        self._page = Page()

    def line(self, text: str) -> list[Leaf]:
        """Take the next line, without its end."""
        line, depth = text.expandtabs(_CODE_INDENT), 0
        for container in self._page.containers:
            inner = container.inside(line)
            if inner is None:
                break
            line, depth = inner, depth + 1
        if not line.strip():
            self._blank(line, depth)
        elif not self._is_code(line, depth):
            self._text(line, depth)
        return self._page.taken()

    def more(self, text: str) -> list[Leaf]:
        """Take what follows on the same line, when it is too long to be taken at once."""
        if text.strip():
            self._page.add(text, Kind.PARAGRAPH)
        return self._page.taken()

    def close(self) -> list[Leaf]:
        """Return what is left, at the end of the text; the next line begins another one."""
        self._page.close()
        return self._page.taken()

    def pending(self) -> list[str]:
        """Return the lines that were taken and not given away."""
        return self._page.open.lines if self._page.open else []

    def _opened(self, kind: Kind) -> OpenBlock | None:
        block = self._page.open
        return block if block and block.kind is kind else None

    def _blank(self, line: str, depth: int) -> None:
        page = self._page
        code = self._opened(Kind.CODE)
        if code and depth == len(page.containers):
            page.add(line[code.indent :], Kind.CODE)
            return
        quoted = [not container.width for container in page.containers[depth:]]
        if any(quoted):
            page.leave(depth)
        page.end()
        page.gap = True

    def _is_code(self, line: str, depth: int) -> bool:
        """Whether the line belongs to code: if so, it has been taken."""
        page = self._page
        code = self._opened(Kind.CODE)
        if code and code.fence and depth == len(page.containers):
            self._fenced(line, code)
            return True
        indented = line.startswith(" " * _CODE_INDENT)
        if not indented or self._opened(Kind.PARAGRAPH):
            return False
        if depth < len(page.containers) or not code:
            page.leave(depth)
        page.add(line[_CODE_INDENT:], Kind.CODE)
        return True

    def _fenced(self, line: str, code: OpenBlock) -> None:
        bare = line.strip()
        indent = len(line) - len(line.lstrip())
        if indent < _CODE_INDENT and len(bare) >= len(code.fence) and not bare.strip(code.fence[0]):
            self._page.end()
            return
        own = line[min(code.indent, indent) :]
        if code.may_part_before(own):
            self._page.part()
        self._page.add(own, Kind.CODE)

    def _text(self, line: str, depth: int) -> None:
        """Take a line that may begin containers and a block."""
        page = self._page
        inside = depth == len(page.containers)
        paragraph = self._opened(Kind.PARAGRAPH)
        if inside and paragraph and _turns(page, line, paragraph):
            return
        before = depth
        while (inner := self._begins(line, depth)) is not None:
            line, depth = inner, depth + 1
        if self._leaf(line, depth, new=depth > before):
            return
        if depth == before and not inside and not paragraph:
            page.leave(depth)
        if self._opened(Kind.CODE) or (self._opened(Kind.TABLE) and "|" not in line):
            page.end()
        page.add(line, Kind.PARAGRAPH)

    def _begins(self, line: str, depth: int) -> str | None:
        """Return what of the line is inside of a container that begins here, or None."""
        page = self._page
        if depth >= _DEEPEST or line.startswith(" " * _CODE_INDENT):
            return None
        if found := _QUOTE.match(line):
            page.leave(depth)
            page.containers.append(Container())
            return line[found.end() :]
        found = _MARKER.match(line)
        if found is None or _RULE.match(line):
            return None
        rest, number = line[found.end() :], found[2][:-1]
        text = self._opened(Kind.PARAGRAPH) and depth == len(page.containers)
        if text and (not rest or number not in ("", "1")):
            return None  # a number, or a dash, where a line of text happens to begin
        page.leave(depth)
        blanks = len(found[3]) if rest and len(found[3]) <= _CODE_INDENT else 1
        width = len(found[1]) + len(found[2]) + blanks
        lists = sum(1 for container in page.containers if container.width)
        marker = found[2] if number else _BULLETS[min(lists, len(_BULLETS) - 1)]
        page.containers.append(Container(marker, width))
        return line[width:]

    def _leaf(self, line: str, depth: int, *, new: bool) -> bool:
        """Whether the line needs no more looking at; `new`: containers began on it."""
        page = self._page
        if new and not line.strip():
            return True
        if new and line.startswith(" " * _CODE_INDENT):
            page.add(line[_CODE_INDENT:], Kind.CODE)
        elif found := _FENCE.match(line):
            page.leave(depth)
            info = found[3].strip()
            page.open = OpenBlock(Kind.CODE, fence=found[2], indent=len(found[1]), info=info)
        elif found := _HEADING.match(line):
            page.leave(depth)
            page.put(Kind.HEADING, (_without_closing(found[2] or ""),), level=len(found[1]))
        elif _RULE.match(line):
            page.leave(depth)
            page.put(Kind.RULE, ())
        else:
            return False
        return True


def _turns(page: Page, line: str, paragraph: OpenBlock) -> bool:
    """Whether the line makes something else of what was read as a paragraph."""
    last = paragraph.lines[-1] if paragraph.lines else ""
    if "|" in last and _delimits(line, last):
        paragraph.lines.pop()
        if paragraph.lines:
            page.end()
        page.open = OpenBlock(Kind.TABLE)
        page.open.model = (last, line.strip())
        return True
    found = _UNDERLINE.match(line)
    if not found or not paragraph.lines or paragraph.continued:
        return False
    page.open = None
    page.put(Kind.HEADING, tuple(paragraph.lines), level=1 if found[1][0] == "=" else 2)
    return True


def _delimits(line: str, head: str) -> bool:
    """Whether the line stands between the head of a table and its rows."""
    if line.strip(" :|-") or "-" not in line:
        return False
    columns = cells(line)
    fits = len(columns) == len(cells(head)) <= _MOST_COLUMNS
    return fits and all(map(_DELIMITER.match, columns))


def _without_closing(heading: str) -> str:
    """Return the text of a heading without the marks that may close it."""
    text = heading.strip()
    bare = text.rstrip("#")
    return bare.rstrip() if not bare or bare.endswith(" ") else text

"""The text of an apply_diff call, parted into blocks.

    <<<<<<< SEARCH
    :start_line:12
    -------
    lines of the file
    =======
    lines in their place
    >>>>>>> REPLACE

The second and third line may be missing. A line of content that looks like a marker has a
backslash in front. Markers stand where the block's first marker stands: a line that is indented
differently is content. One malformed block rejects the whole text.
"""

import re
from enum import Enum, auto

from msgspec import Struct

from agent_cli.types.errors import ToolError
from agent_cli.workspace.editor import split_lines

_SEARCH = re.compile(r"<{7} SEARCH>?")
_DIVIDER = "======="
_REPLACE = ">>>>>>> REPLACE"
_RULE = "-------"
_NUMBER = re.compile(r":(start|end)_line:[ \t]*(\d{1,9})")
_HEAD = (":start_line:", ":end_line:")
_CONFLICT = ("<<<<<<<", ">>>>>>>")
_ESCAPED = re.compile(r"\\(?=<<<<<<<|=======|>>>>>>>|-------|:start_line:|:end_line:)")
_FORM = (
    "the form is `<<<<<<< SEARCH`, `:start_line:N`, `-------`, the lines to find, `=======`, "
    "the lines in their place, `>>>>>>> REPLACE`, each on a line of its own"
)


class Block(Struct, frozen=True):
    search: tuple[str, ...]
    replace: tuple[str, ...]
    start_line: int = 0
    """Where the model says that the search begins, counted from 1; 0 where it does not."""
    diff_line: int = 0
    """Where the block begins in the text of the call."""


def parse(text: str) -> tuple[Block, ...]:
    """Return the blocks in the order of the text; ToolError for any that is malformed."""
    reader = _Reader()
    for number, line in enumerate(split_lines(text), 1):
        reader.read(number, line.text)
    return reader.finish()


class _At(Enum):
    OUTSIDE = auto()
    HEAD = auto()
    SEARCH = auto()
    REPLACE = auto()


_EXPECTED = {
    _At.OUTSIDE: "<<<<<<< SEARCH",
    _At.HEAD: _DIVIDER,
    _At.SEARCH: _DIVIDER,
    _At.REPLACE: _REPLACE,
}


class _Reader:
    def __init__(self) -> None:
        self._at = _At.OUTSIDE
        self._blocks: list[Block] = []
        self._indent = ""
        self._begin()

    def _begin(self, number: int = 0) -> None:
        self._number = number
        self._start = 0
        self._search: list[str] = []
        self._replace: list[str] = []

    def read(self, number: int, line: str) -> None:
        if self._at is _At.OUTSIDE:
            self._indent = line[: len(line) - len(line.lstrip())]
        marker = self._marker(line)
        if marker.startswith(_CONFLICT) or marker == _DIVIDER:
            self._advance(number, marker)
        elif self._at is _At.HEAD:
            self._head(number, line, marker)
        elif self._at is _At.SEARCH:
            self._search.append(_unescaped(line))
        elif self._at is _At.REPLACE:
            self._refuse_head(number, marker)
            self._replace.append(_unescaped(line))

    def finish(self) -> tuple[Block, ...]:
        if self._at is not _At.OUTSIDE:
            raise ToolError(
                f"the diff ends within the block of its line {self._number}: "
                f"`{_EXPECTED[self._at]}` is missing; {_FORM}"
            )
        if not self._blocks:
            raise ToolError(f"the diff has no block in it; {_FORM}")
        return tuple(self._blocks)

    def _marker(self, line: str) -> str:
        """Return the line trimmed if it stands where this block's markers stand."""
        rest = line.removeprefix(self._indent)
        if not line.startswith(self._indent) or rest != rest.lstrip():
            return ""
        return rest.rstrip()

    def _advance(self, number: int, marker: str) -> None:
        match self._at:
            case _At.OUTSIDE if _SEARCH.fullmatch(marker):
                self._begin(number)
                self._at = _At.HEAD
            case _At.HEAD | _At.SEARCH if marker == _DIVIDER:
                self._at = _At.REPLACE
            case _At.REPLACE if marker == _REPLACE:
                block = Block(tuple(self._search), tuple(self._replace), self._start, self._number)
                self._blocks.append(block)
                self._at = _At.OUTSIDE
            case _:
                raise self._misplaced(number, marker)

    def _misplaced(self, number: int, marker: str) -> ToolError:
        if _SEARCH.fullmatch(marker) or marker in {_DIVIDER, _REPLACE}:
            why = f"`{marker}` where `{_EXPECTED[self._at]}` is expected"
        else:
            why = f"{marker!r} looks like a marker or a merge conflict"
        return ToolError(
            f"line {number} of the diff: {why}. If the line is content, put a backslash in front "
            f"of it (`\\{marker}`); {_FORM}"
        )

    def _head(self, number: int, line: str, marker: str) -> None:
        """Read a line between the first marker and the content."""
        if line.strip().startswith(_HEAD):
            marker = line.strip()
            self._search.clear()  # blank lines in front of it are no content
            found = _NUMBER.fullmatch(marker)
            if found is None:
                raise ToolError(
                    f"line {number} of the diff: {marker!r} is no line number; write "
                    "`:start_line:` and digits, or a backslash in front if the line is content"
                )
            if found[1] == "start":
                self._start = int(found[2])
        elif marker == _RULE:
            self._search.clear()
            self._at = _At.SEARCH
        else:
            self._search.append(_unescaped(line))
            if line.strip():
                self._at = _At.SEARCH

    def _refuse_head(self, number: int, marker: str) -> None:
        if marker.startswith(_HEAD):
            raise ToolError(
                f"line {number} of the diff: {marker!r} stands in the replacement; it belongs "
                "after `<<<<<<< SEARCH`, or needs a backslash in front if the line is content"
            )


def _unescaped(line: str) -> str:
    return _ESCAPED.sub("", line, count=1) if line.startswith("\\") else line

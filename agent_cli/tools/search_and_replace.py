"""search_and_replace: an exact text of a file, replaced in one place or in all.

Both texts are literal. A line end in them, LF or CR LF, stands for whatever ends the line in the
file; lines that search and replacement share at their beginning or end keep their ends, and new
ones get that of the first matched line.
"""

import re
from collections.abc import Iterator
from itertools import islice
from typing import Annotated

from msgspec import Meta, Struct

from agent_cli.tools._reasons import EDITED_SIZE, EDITING, NO_FILE
from agent_cli.tools._text import edit, editable
from agent_cli.tools.base import Output, Reason, Tool, ToolArguments, ToolContext
from agent_cli.types.approval import Preview, Words
from agent_cli.types.effects import Effect, Kind
from agent_cli.types.errors import ToolError
from agent_cli.workspace.editor import Text, printable

_NEW_LINE = re.compile(r"\r?\n")
_ANY_END = re.compile(r"\r\n|\r|\n")
_END = r"(\r\n|\r(?!\n)|(?<!\r)\n)"
"""One whole line end, never half of a CR LF."""
_SHOWN = 5
"""Line numbers in a message."""
_COUNTED = 1000
"""Places at most that a message counts."""


class Operation(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    search: Annotated[
        str, Meta(description="The text to find, exactly as it is in the file.", min_length=1)
    ]
    replace: Annotated[str, Meta(description="The text in its place; empty deletes it.")]
    all: Annotated[
        bool | None,
        Meta(description="Whether to replace every occurrence; without, there must be one only."),
    ] = None


class Arguments(ToolArguments, frozen=True):
    path: Annotated[str, Meta(description="Path relative to the workspace root.")]
    operations: Annotated[
        tuple[Operation, ...],
        Meta(min_length=1, description="The replacements, each made on what the last one left."),
    ]


class SearchAndReplace(Tool[Arguments]):
    name = "search_and_replace"
    description = (
        "Replace exact texts in a file. A search text is literal: letter case, blanks and quotes "
        "count, and it may be a part of a line or go over several. It must occur exactly once, "
        "unless `all` is true. All operations of a call are made, in order, or none."
    )
    kind = Kind.WRITE
    arguments = Arguments
    example = Arguments("src/shop/cart.py", (Operation("total_price", "total", all=True),))
    touches = (Effect(Kind.WRITE, "path"),)
    limits = (EDITED_SIZE,)
    failures = (
        NO_FILE,
        Reason("not_found", "The file does not contain a search text."),
        Reason("ambiguous", "A search text occurs several times, and not all are meant."),
        Reason("unchanged", "An operation, or all together, would change nothing."),
        *EDITING,
    )

    def effects(self, arguments: Arguments, context: ToolContext) -> tuple[Effect, ...]:
        return (context.workspace.effect(Kind.WRITE, arguments.path),)

    def preview(self, arguments: Arguments, context: ToolContext) -> Preview:
        path = arguments.path
        if context.workspace.effect(Kind.WRITE, path).outside:
            # what is there now may not be read before the user agrees
            return Words(f"change {path}:\n\n{_told(arguments)}")
        before = editable(context.workspace.show(path), path)
        after, _ = _edited(before, arguments)
        return edit(path, before.body, after)

    async def run(self, arguments: Arguments, context: ToolContext) -> Output:
        path = arguments.path
        data = context.workspace.take(path)
        after, counts = _edited(editable(data, path), arguments)
        context.workspace.write(path, after.encode(), expected=data)
        made = "\n".join(
            f"operation {number}: {count} place{'' if count == 1 else 's'}"
            for number, count in enumerate(counts, 1)
        )
        return f"modified {path}; there is no need to read it again. Replaced:\n{made}"


def _told(arguments: Arguments) -> str:
    return "\n\n".join(
        f"{'every' if one.all else 'the one'} text\n{one.search}\nbecomes\n{one.replace}"
        for one in arguments.operations
    )


def _edited(before: Text, arguments: Arguments) -> tuple[Text, list[int]]:
    """Return the new text, and how often each operation replaced."""
    body = before.body
    counts: list[int] = []
    for number, operation in enumerate(arguments.operations, 1):
        try:
            body, count = _replaced(body, operation)
        except ToolError as error:
            raise ToolError(
                f"nothing was written: operation {number} of {len(arguments.operations)} cannot "
                f"be made: {error}"
            ) from error
        counts.append(count)
    if body == before.body:
        raise ToolError("nothing was written: the operations together change nothing")
    added = "".join(operation.replace for operation in arguments.operations)
    return before.with_body(body, added=added), counts


def _replaced(body: str, operation: Operation) -> tuple[str, int]:
    search = _NEW_LINE.split(operation.search)
    pattern = re.compile(_END.join(_literal(part) for part in search))
    _refuse(operation, body, list(islice(_places(pattern, body), 1 if operation.all else _COUNTED)))
    replace, ends = _NEW_LINE.split(operation.replace), _Ends(body)
    after, count = pattern.subn(lambda found: _replacement(found, search, replace, ends), body)
    if after == body:
        raise ToolError("search and replacement are the same: nothing would change")
    return after, count


def _places(pattern: re.Pattern[str], body: str) -> Iterator[int]:
    """Yield where the pattern begins, overlapping places too."""
    found = pattern.search(body)
    while found is not None:
        yield found.start()
        found = pattern.search(body, found.start() + 1)


def _literal(part: str) -> str:
    return re.escape(part).replace("\\\r", "\r(?!\n)")


def _refuse(operation: Operation, body: str, places: list[int]) -> None:
    if not places:
        raise ToolError(
            f"the file does not contain {_short(operation.search)}: it must be given exactly as "
            "it is in the file, so read that part again"
        )
    if len(places) == 1 or operation.all:
        return
    lines = ", ".join(str(line) for line in _lines(body, places[:_SHOWN]))
    more = " and others" if len(places) > _SHOWN else ""
    often = f"{_COUNTED} or more" if len(places) == _COUNTED else str(len(places))
    raise ToolError(
        f"{_short(operation.search)} occurs {often} times, at lines {lines}{more}: give "
        "more of the text around it, or set `all`"
    )


def _short(text: str) -> str:
    longest = 200
    shown = printable(text)
    return repr(shown if len(shown) <= longest else f"{shown[:longest]}…")


def _lines(body: str, places: list[int]) -> Iterator[int]:
    for place in places:
        yield 1 + sum(1 for _ in _ANY_END.finditer(body, 0, place))


def _replacement(found: re.Match[str], search: list[str], replace: list[str], ends: "_Ends") -> str:
    """Return the new text with the file's own line ends; what follows the last is no line."""
    old, lines, new = found.groups(), search[:-1], replace[:-1]
    most = min(len(lines), len(new))
    head = _shared(lines, new, most)
    tail = _shared(lines[::-1], new[::-1], most - head)
    fresh = len(new) - head - tail
    between = [ends.near(found.start())] * fresh if fresh else []
    kept = [*old[:head], *between, *old[len(old) - tail :], ""]
    return "".join(text + end for text, end in zip(replace, kept, strict=True))


def _shared(lines: list[str], new: list[str], most: int) -> int:
    """Return how many lines at the beginning are the same."""
    return next((place for place in range(most) if lines[place] != new[place]), most)


class _Ends:
    """The line ends of a body, asked for from its beginning to its end: each is found once."""

    def __init__(self, body: str) -> None:
        self._body = body
        self._known_to = -1
        self._end = "\n"
        """Of the nearest line that has one, for places up to `_known_to`."""

    def near(self, place: int) -> str:
        """Return the end of the line at the place, or of the nearest line that has one."""
        while place > self._known_to:
            found = _ANY_END.search(self._body, self._known_to + 1)
            self._known_to = len(self._body) if found is None else found.end() - 1
            self._end = self._end if found is None else found[0]
        return self._end


TOOL = SearchAndReplace()

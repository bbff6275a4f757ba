"""insert_content: new lines in a file, before a line of it or at its end.

The content comes without a final line end. Each new line ends as the line that it is put before;
at the end of the file, as the last one does: where that has no end, the file has none afterwards.
"""

from typing import Annotated

from msgspec import Meta

from agent_cli.tools._reasons import EDITED_SIZE, EDITING
from agent_cli.tools._text import edit, editable
from agent_cli.tools.base import Output, Reason, Tool, ToolArguments, ToolContext
from agent_cli.types.approval import Preview, Words
from agent_cli.types.effects import Effect, Kind
from agent_cli.types.errors import ToolError
from agent_cli.workspace.editor import Line, Text, join_lines, split_lines


class Arguments(ToolArguments, frozen=True):
    path: Annotated[str, Meta(description="Path relative to the workspace root.")]
    line: Annotated[
        int,
        Meta(ge=0, description="The line to insert before, counted from 1; 0 appends at the end."),
    ]
    content: Annotated[
        str, Meta(description="The new lines, indented as they shall be, without a final line end.")
    ]


class InsertContent(Tool[Arguments]):
    name = "insert_content"
    description = (
        "Insert new lines into a file, before the given line or, with line 0, at the end, and "
        "leave all others as they are. With line 0 the file may be new."
    )
    kind = Kind.WRITE
    arguments = Arguments
    example = Arguments("src/shop/cart.py", 1, "import decimal")
    touches = (Effect(Kind.WRITE, "path"),)
    limits = (EDITED_SIZE,)
    failures = (
        Reason("no_file", "There is no file at the path, and the line is beyond the first."),
        Reason("past_the_end", "The file has fewer lines than the line to insert before."),
        *EDITING,
    )

    def effects(self, arguments: Arguments, context: ToolContext) -> tuple[Effect, ...]:
        return (context.workspace.effect(Kind.WRITE, arguments.path),)

    def preview(self, arguments: Arguments, context: ToolContext) -> Preview:
        path = arguments.path
        if context.workspace.effect(Kind.WRITE, path).outside:
            # what is there now may not be read before the user agrees
            where = f"before line {arguments.line}" if arguments.line else "at the end"
            return Words(f"insert into {path}, {where}:\n\n{arguments.content}")
        before = _before(context.workspace.show(path), arguments)
        return edit(path, before.body, _edited(before, arguments))

    async def run(self, arguments: Arguments, context: ToolContext) -> Output:
        path = arguments.path
        data = context.workspace.take(path)
        after = _edited(_before(data, arguments), arguments)
        context.workspace.write(path, after.encode(), expected=data)
        count = len(_lines(arguments.content))
        first = arguments.line or len(split_lines(after.body)) - count + 1
        done = "created" if data is None else "modified"
        return (
            f"{done} {path}: inserted {count} line{'' if count == 1 else 's'}, from "
            f"line {first}; there is no need to read it again."
        )


def _before(data: bytes | None, arguments: Arguments) -> Text:
    if data is None and arguments.line <= 1:
        return Text("")
    return editable(data, arguments.path)


def _edited(before: Text, arguments: Arguments) -> Text:
    lines = split_lines(before.body)
    _refuse_beyond(arguments.line, lines)
    texts = _lines(arguments.content)
    place = arguments.line - 1 if arguments.line else len(lines)
    end = _end_near(lines, place)
    new = [Line(text, end) for text in texts]
    if place == len(lines) and lines and not lines[-1].end:
        lines[-1] = Line(lines[-1].text, end)
        new[-1] = Line(new[-1].text, "")
    body = join_lines([*lines[:place], *new, *lines[place:]])
    return before.with_body(body, added=arguments.content)


def _refuse_beyond(line: int, lines: list[Line]) -> None:
    first_of_none = not lines and line == 1
    if line > len(lines) and not first_of_none:
        raise ToolError(
            f"line {line} is past the end: the file has {len(lines)} lines, and 0 appends to them"
        )


def _end_near(lines: list[Line], place: int) -> str:
    """Return the end of the line at the place, or of the nearest before it that has one."""
    nearest = (line.end for line in reversed(lines[: place + 1]) if line.end)
    return next(nearest, "\n")


def _lines(content: str) -> list[str]:
    lines = split_lines(content)
    texts = [line.text for line in lines]
    return texts if lines and not lines[-1].end else [*texts, ""]


TOOL = InsertContent()

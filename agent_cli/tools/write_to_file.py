"""write_to_file: make a file, or replace all of one."""

from typing import Annotated

from msgspec import Meta

from agent_cli.tools._reasons import EDITED_SIZE, EDITING
from agent_cli.tools._text import edit
from agent_cli.tools.base import Output, Tool, ToolArguments, ToolContext
from agent_cli.types.approval import Preview, Words
from agent_cli.types.effects import Effect, Kind
from agent_cli.types.errors import ToolError
from agent_cli.workspace.editor import Text, decode, join_lines, split_lines

_MARK = "\ufeff"


class Arguments(ToolArguments, frozen=True):
    path: Annotated[str, Meta(description="Path relative to the workspace root.")]
    content: Annotated[
        str, Meta(description="The whole content of the file, without line numbers or omissions.")
    ]
    line_count: Annotated[
        int | None, Meta(description="Number of lines in content; not needed.")
    ] = None


class WriteToFile(Tool[Arguments]):
    name = "write_to_file"
    description = (
        "Make a new file, with the directories above it, or replace the whole content of an "
        "existing one. Give the complete content. To change parts of a file, use apply_diff."
    )
    kind = Kind.WRITE
    arguments = Arguments
    example = Arguments(
        "src/shop/money.py",
        "def cents(amount: float) -> int:\n    return round(amount * 100)\n",
    )
    touches = (Effect(Kind.WRITE, "path"),)
    limits = (EDITED_SIZE,)
    failures = EDITING

    def effects(self, arguments: Arguments, context: ToolContext) -> tuple[Effect, ...]:
        return (context.workspace.effect(Kind.WRITE, arguments.path),)

    def preview(self, arguments: Arguments, context: ToolContext) -> Preview:
        path = arguments.path
        if context.workspace.effect(Kind.WRITE, path).outside:
            # what is there now may not be read before the user agrees
            return Words(f"write {path}:\n\n{arguments.content}")
        before = context.workspace.show(path)
        text = _text(arguments.content, before, path)
        return edit(path, "" if before is None else decode(before).body, text)

    async def run(self, arguments: Arguments, context: ToolContext) -> Output:
        path = arguments.path
        before = context.workspace.take(path)
        text = _text(arguments.content, before, path)
        data = text.encode()
        lines = len(split_lines(text.body))
        if data == before:
            return f"{path} already had this content; nothing was written."
        context.workspace.write(path, data, expected=before)
        done = "created" if before is None else "modified"
        return (
            f"{done} {path} ({lines} lines). It holds the content as you gave it"
            f"{_exception(arguments.content, text)}; there is no need to read it again."
            f"{_warning(arguments.line_count, lines)}"
        )


def _text(content: str, before: bytes | None, path: str) -> Text:
    """Return the new text: what is there decides encoding, mark and line ends."""
    if before is None:
        return Text("").with_body(content, added=content)
    old = decode(before)
    if old.is_binary:
        raise ToolError(f"{path!r} is a binary file: delete it first if it is to become text")
    if old.mark:
        content = content.removeprefix(_MARK)
    lines = split_lines(content)
    if _ends(old.body) == {"\r\n"} and _ends(content) == {"\n"}:
        content = join_lines([type(line)(line.text, line.end and "\r\n") for line in lines])
    return old.with_body(content, added=content)


def _ends(body: str) -> set[str]:
    return {line.end for line in split_lines(body)} - {""}


def _exception(content: str, text: Text) -> str:
    if "\r\n" in text.body and "\r\n" not in content:
        return ", with the CR LF line ends that the file had"
    return ""


def _warning(announced: int | None, lines: int) -> str:
    if announced is None or announced <= lines + 1:
        return ""
    return (
        f"\nNote: line_count is {announced}, but the content had {lines} lines. If it was cut "
        "off, add what is missing."
    )


TOOL = WriteToFile()

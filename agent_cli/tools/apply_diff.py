"""apply_diff: replace lines of a file that are found by their text."""

from typing import Annotated

from msgspec import Meta

from agent_cli.tools._apply import Applied, apply
from agent_cli.tools._match import WINDOW
from agent_cli.tools._patch import parse
from agent_cli.tools._reasons import EDITED_SIZE, EDITING, NO_FILE
from agent_cli.tools._text import edit, editable
from agent_cli.tools.base import Output, Reason, Tool, ToolArguments, ToolContext
from agent_cli.types.approval import Preview, Words
from agent_cli.types.effects import Effect, Kind
from agent_cli.types.errors import ToolError
from agent_cli.workspace.editor import Text


class Arguments(ToolArguments, frozen=True):
    path: Annotated[str, Meta(description="Path relative to the workspace root.")]
    diff: Annotated[
        str,
        Meta(
            description="One or more blocks:\n"
            "<<<<<<< SEARCH\n"
            ":start_line:12\n"
            "-------\n"
            "lines exactly as they are in the file\n"
            "=======\n"
            "lines in their place\n"
            ">>>>>>> REPLACE"
        ),
    ]


class ApplyDiff(Tool[Arguments]):
    name = "apply_diff"
    description = (
        "Replace parts of a file. Each block names whole lines to find, with their indentation "
        "and without line numbers, and the lines in their place; none deletes them. start_line is "
        "where the search begins in the file as you read it, and tells equal places apart. Give "
        "all changes of a file as blocks of one call: they are made together or not at all. A line "
        "of content that looks like a marker needs a backslash in front."
    )
    kind = Kind.WRITE
    arguments = Arguments
    example = Arguments(
        "src/shop/cart.py",
        "<<<<<<< SEARCH\n"
        ":start_line:12\n"
        "-------\n"
        "    return total\n"
        "=======\n"
        "    return round(total, 2)\n"
        ">>>>>>> REPLACE",
    )
    touches = (Effect(Kind.WRITE, "path"),)
    limits = (
        EDITED_SIZE,
        f"A block is looked for within {WINDOW} lines of its start_line, if it has one.",
    )
    failures = (
        Reason(
            "malformed", "The diff has no block, or a marker is missing, misplaced or no number."
        ),
        NO_FILE,
        Reason("not_found", "The lines of a block are nowhere near where they should be."),
        Reason("ambiguous", "The lines of a block stand in several places that fit alike."),
        Reason("empty_search", "A block names no lines to replace."),
        Reason("unchanged", "A block or the whole diff would change nothing."),
        *EDITING,
    )

    def effects(self, arguments: Arguments, context: ToolContext) -> tuple[Effect, ...]:
        parse(arguments.diff)
        return (context.workspace.effect(Kind.WRITE, arguments.path),)

    def preview(self, arguments: Arguments, context: ToolContext) -> Preview:
        path = arguments.path
        if context.workspace.effect(Kind.WRITE, path).outside:
            # what is there now may not be read before the user agrees
            return Words(f"change {path}:\n\n{arguments.diff}")
        before = editable(context.workspace.show(path), path)
        _, after = _edited(before, arguments)
        return edit(path, before.body, after)

    async def run(self, arguments: Arguments, context: ToolContext) -> Output:
        path = arguments.path
        data = context.workspace.take(path)
        before = editable(data, path)
        applied, after = _edited(before, arguments)
        context.workspace.write(path, after.encode(), expected=data)
        reports = "\n".join(applied.reports)
        return (
            f"modified {path}; there is no need to read it again. Of the lines as they "
            f"were, these were replaced:\n{reports}"
        )


def _edited(before: Text, arguments: Arguments) -> tuple[Applied, Text]:
    applied = apply(before.body, parse(arguments.diff))
    if applied.body == before.body:
        raise ToolError("the diff changes nothing: the file already is as it says")
    return applied, before.with_body(applied.body, added=applied.added)


TOOL = ApplyDiff()

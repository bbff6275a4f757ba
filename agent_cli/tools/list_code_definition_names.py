"""list_code_definition_names: what the source files of a directory, or one file, define."""

import asyncio
from itertools import islice
from typing import Annotated

from msgspec import Meta

from agent_cli.index.definitions import LARGEST, SECONDS, Definition, definitions
from agent_cli.index.grammars import ENDINGS, EXTRA, MARKDOWN, language_of, load
from agent_cli.tools._reasons import BINARY, BLOCKED, UNREADABLE, size
from agent_cli.tools.base import Reason, Tool, ToolArguments, ToolContext
from agent_cli.types.approval import Words
from agent_cli.types.effects import Effect, Kind
from agent_cli.types.errors import ToolError
from agent_cli.types.outcomes import Code
from agent_cli.workspace.editor import printable
from agent_cli.workspace.gate import Workspace

FILES = 50
"""Files of a directory that are parsed."""
NAMES = 200
"""Files of a directory that are looked at."""
DEFINITIONS = 1000
"""In one result."""
_FEWEST_LINES = 4
_LONGEST_LINE = 200
"""Characters."""
NONE = "No source code definitions found."


class Arguments(ToolArguments, frozen=True):
    path: Annotated[
        str,
        Meta(
            description="The file, or the directory whose top level is looked at, relative to the "
            "workspace root."
        ),
    ]


class ListCodeDefinitionNames(Tool[Arguments]):
    name = "list_code_definition_names"
    description = (
        "List the classes, functions, methods and types that source files define, and the "
        "headings of Markdown files: first line, last line and the text of the first line. Of a "
        f"directory only the files right in it, at most {FILES}; definitions shorter than "
        f"{_FEWEST_LINES} lines are left out. Knows bash, C, C++, Go, Java, JavaScript, "
        "Markdown, Python, Rust and TypeScript."
    )
    kind = Kind.READ
    arguments = Arguments
    example = Arguments("src/shop")
    touches = (Effect(Kind.READ, "path"),)
    limits = (
        f"{NAMES} files of a directory are looked at, {FILES} source files of them parsed.",
        f"{DEFINITIONS:,} definitions in one result, none shorter than {_FEWEST_LINES} lines, and "
        f"{_LONGEST_LINE} characters of the first line of each.",
        f"{size(LARGEST)} and {SECONDS:g} seconds for parsing one file.",
    )
    failures = (
        BLOCKED,
        UNREADABLE,
        Reason("language", "The file's name has no ending that is known.", Code.INVALID_ARGUMENTS),
        Reason("grammar", f"The grammar is not installed; {EXTRA} has it."),
        Reason("too_large", "The file is too large, or takes too long to parse."),
        BINARY,
    )

    def effects(self, arguments: Arguments, context: ToolContext) -> tuple[Effect, ...]:
        return (context.workspace.effect(Kind.READ, arguments.path),)

    def preview(self, arguments: Arguments, context: ToolContext) -> Words:
        return Words(f"list the definitions in {arguments.path!r}")

    async def run(self, arguments: Arguments, context: ToolContext) -> str:
        return await asyncio.to_thread(_list, arguments.path, context.workspace)


TOOL = ListCodeDefinitionNames()


def _list(path: str, workspace: Workspace) -> str:
    if workspace.is_dir(path):
        return _of_directory(path, workspace)
    if not workspace.is_file(path):
        raise ToolError(f"{path!r} does not exist (list_files shows what there is)")
    language = language_of(path)
    if language is None:
        endings = " ".join(sorted(ENDINGS))
        raise ToolError(
            f"definitions can be listed of files that end in {endings}, and {path!r} does not: "
            "use read_file or search_files",
            Code.INVALID_ARGUMENTS,
        )
    if language != MARKDOWN and load(language) is None:
        raise ToolError(f"there is no grammar for {path!r}: the user can install {EXTRA}")
    lines = _lines(path, workspace, language)
    if lines is None:
        raise ToolError(
            f"{path!r} is larger than {LARGEST} bytes or takes too long to parse: use search_files"
        )
    return _rendered([(path, lines)], []) if lines else NONE


def _of_directory(path: str, workspace: Workspace) -> str:
    notes: list[str] = []
    files = (entry.path for entry in workspace.list_dir(path) if not entry.is_dir)
    names = list(islice(files, NAMES + 1))
    if len(names) > NAMES:
        notes.append(f"Only the first {NAMES} files were looked at.")
    known = [name for name in names[:NAMES] if language_of(name)]
    if len(known) > FILES:
        notes.append(f"Only the first {FILES} source files were parsed: name the others alone.")
    found: list[tuple[str, list[str]]] = []
    left_out: list[str] = []
    for name in known[:FILES]:
        language = language_of(name) or ""
        if language != MARKDOWN and load(language) is None:
            left_out.append(name)
            continue
        try:
            lines = _lines(name, workspace, language)
        except ToolError:  # it holds keys, is no text, or has gone
            continue
        if lines is None:
            notes.append(f"{name} is too large to be parsed.")
        found += [(name, lines)] if lines else []
    if left_out:
        notes.append(
            f"{len(left_out)} source files were left out, {left_out[0]} for one: there is no "
            f"grammar for them. The user can install {EXTRA}."
        )
    return _rendered(found, notes)


def _lines(path: str, workspace: Workspace, language: str) -> list[str] | None:
    """Return one line for each definition; None if they cannot be told."""
    text = workspace.read_text(path).body
    found = definitions(text.encode("utf-8", "replace"), language)
    if found is None:
        return None
    # tree-sitter counts rows as it finds LF, and so do we; CR stays at the end and is cut off.
    rows = text.split("\n") if language != MARKDOWN else text.splitlines()
    return [
        f"{one.first}--{one.last} | {_shown(rows[one.first - 1])}"
        for one in found
        if _is_long(one, language)
    ]


def _is_long(one: Definition, language: str) -> bool:
    return language == MARKDOWN or one.last - one.first + 1 >= _FEWEST_LINES


def _shown(row: str) -> str:
    text = printable(row).rstrip()
    return text if len(text) <= _LONGEST_LINE else f"{text[:_LONGEST_LINE]}…"


def _rendered(found: list[tuple[str, list[str]]], notes: list[str]) -> str:
    room = DEFINITIONS
    parts: list[str] = []
    for path, lines in found:
        parts.append("\n".join([f"# {path}", *lines[:room]]))
        room -= len(lines)
        if room < 0:
            notes = [*notes, f"The list ends here, at {DEFINITIONS} definitions."]
            break
    return "\n\n".join([*(parts or [NONE]), *notes])

"""search_files: a regular expression, looked for in the files of a directory."""

import asyncio
from collections.abc import Callable
from typing import Annotated

from msgspec import Meta

from agent_cli.processes.run import Finished
from agent_cli.tools import _search_engine as engine
from agent_cli.tools._reasons import BLOCKED, TOO_LARGE, UNREADABLE, size
from agent_cli.tools._search_hits import LIMIT, LONGEST_LINE, Hits
from agent_cli.tools.base import Reason, Tool, ToolArguments, ToolContext
from agent_cli.types.approval import Words
from agent_cli.types.effects import Effect, Kind
from agent_cli.types.errors import ToolError
from agent_cli.types.outcomes import Code
from agent_cli.workspace.editor import as_utf8
from agent_cli.workspace.files import READ_LIMIT
from agent_cli.workspace.gate import Workspace

_TIMEOUT = 60
"""Seconds."""
_IMPOSSIBLE = 2
"""The exit code of an engine that could not search, or not everywhere."""
_ENDS = frozenset({0, 1, _IMPOSSIBLE})


class Arguments(ToolArguments, frozen=True):
    path: Annotated[
        str,
        Meta(description="The directory, or the file, to search, relative to the workspace root."),
    ]
    regex: Annotated[
        str,
        Meta(description="The regular expression, in Rust's syntax; it matches within one line."),
    ]
    file_pattern: Annotated[
        str | None,
        Meta(description="A glob of the names of files to search, say '*.py' or '*.{ts,tsx}'."),
    ] = None


class SearchFiles(Tool[Arguments]):
    name = "search_files"
    description = (
        "Search the files below a directory for a regular expression. Each match is shown with "
        f"its line number and the lines around it, at most {LIMIT} places. What .gitignore "
        "covers and binary files are left out."
    )
    kind = Kind.READ
    arguments = Arguments
    example = Arguments("src", r"def \w+_total\(", "*.py")
    touches = (Effect(Kind.READ, "path"),)
    limits = (
        f"{LIMIT} places, each of adjacent lines, and {LONGEST_LINE} characters of one line.",
        f"{_TIMEOUT} seconds, a first and quicker try not counted.",
        f"{size(READ_LIMIT)} of one file; larger ones are left out.",
    )
    failures = (
        BLOCKED,
        UNREADABLE,
        TOO_LARGE,
        Reason(
            "unusable",
            "The regex is empty, or regex or file pattern hold a line end or NUL.",
            Code.INVALID_ARGUMENTS,
        ),
        Reason("no_regex", "The regex is not one in Rust's syntax."),
        Reason("timeout", "The search takes too long.", Code.TIMED_OUT),
        Reason(
            "engine",
            "The search engine cannot be started, breaks off, or has too many files to search.",
        ),
    )

    def effects(self, arguments: Arguments, context: ToolContext) -> tuple[Effect, ...]:
        return (context.workspace.effect(Kind.READ, arguments.path),)

    def preview(self, arguments: Arguments, context: ToolContext) -> Words:
        names = f", files {arguments.file_pattern!r}" if arguments.file_pattern else ""
        return Words(f"search {arguments.path!r} for {arguments.regex!r}{names}")

    async def run(self, arguments: Arguments, context: ToolContext) -> str:
        _refuse_unusable(arguments)
        workspace = context.workspace
        where = workspace.effect(Kind.READ, arguments.path)
        is_file = workspace.is_file(arguments.path)
        if is_file:
            workspace.read(arguments.path)  # to say so if it may not be read
        elif not workspace.is_dir(arguments.path):
            raise ToolError(f"{arguments.path!r} does not exist")
        patterns = engine.expand(arguments.file_pattern)
        search = engine.Search(arguments.regex, where.target, is_file, patterns)
        hits, finished = await _search(search, context)
        if finished is not None:
            _refuse_unfinished(finished, hits, arguments)
        return hits.render()


TOOL = SearchFiles()


def _refuse_unusable(arguments: Arguments) -> None:
    for name, value in (("regex", arguments.regex), ("file_pattern", arguments.file_pattern)):
        if value is not None and ("\0" in value or "\n" in value):
            raise ToolError(
                f"the {name} {value!r} contains a line end or NUL: search within one line",
                Code.INVALID_ARGUMENTS,
            )
    if not arguments.regex:
        raise ToolError("the regex is empty: say what to search for", Code.INVALID_ARGUMENTS)


async def _search(search: engine.Search, context: ToolContext) -> tuple[Hits, Finished | None]:
    """Search in one way after the other, up to the first that comes to its end."""
    *quick, careful = await _ways(search, context.workspace)
    for start in quick:
        hits = Hits(_reader(search, context.workspace))
        finished = await _run(start, hits, context)
        if finished is not None and finished.exit_code in _ENDS:
            return hits, finished
    hits = Hits(_reader(search, context.workspace))
    return hits, await _run(careful, hits, context)


async def _ways(search: engine.Search, workspace: Workspace) -> tuple[engine.Start, ...]:
    program = engine.ripgrep()
    if program is not None:
        return engine.with_ripgrep(program, search)
    return await asyncio.to_thread(engine.with_python, search, workspace)


def _reader(search: engine.Search, workspace: Workspace) -> Callable[[str], bytes | None]:
    names = engine.Names(search)

    def read(path: str) -> bytes | None:
        """Have the gate read what the engine found: only the gate knows roots and .agentignore."""
        if not names.wants(path):
            return None
        try:
            content = as_utf8(workspace.read(path))
        except ToolError:
            return None
        return None if b"\0" in content else content

    return read


async def _run(start: engine.Start, hits: Hits, context: ToolContext) -> Finished | None:
    """Run the engine to its end, or, with None, until there is more than will be shown."""
    full = asyncio.Event()
    hits.on_full = full.set
    running = asyncio.ensure_future(
        context.processes.forgetting().run(
            start.argv,
            cwd=context.workspace.root,
            timeout=start.patience or _TIMEOUT,
            on_output=hits.feed,
            stdin=start.stdin,
        )
    )
    enough = asyncio.ensure_future(full.wait())
    try:
        await asyncio.wait({running, enough}, return_when=asyncio.FIRST_COMPLETED)
        return None if full.is_set() else await running
    except (OSError, ValueError) as error:
        raise ToolError(f"the search could not be started: {error}") from error
    finally:
        running.cancel()
        enough.cancel()
        await asyncio.wait({running, enough})


def _refuse_unfinished(finished: Finished, hits: Hits, arguments: Arguments) -> None:
    if finished.timed_out:
        raise ToolError(
            f"the search took more than {_TIMEOUT} seconds: search in a part, or for a simpler "
            f"regex than {arguments.regex!r}",
            Code.TIMED_OUT,
        )
    if finished.exit_code == _IMPOSSIBLE and hits.diagnostics:
        raise ToolError(f"cannot search for {arguments.regex!r}: {hits.diagnostics}")
    if finished.exit_code is None or finished.exit_code > _IMPOSSIBLE:
        raise ToolError(f"the search broke off: {hits.diagnostics}")

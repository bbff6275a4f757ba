"""codebase_search: the parts of the code that answer a question best, found by its words."""

from typing import Annotated

from msgspec import Meta

from agent_cli.index.bounds import BYTES, FILES, LARGEST, SECONDS
from agent_cli.index.chunks import WANTED
from agent_cli.index.question import LIMIT, Found, Question
from agent_cli.tools._reasons import BLOCKED, UNREADABLE, size
from agent_cli.tools.base import Reason, Services, Tool, ToolArguments, ToolContext
from agent_cli.types.approval import Words
from agent_cli.types.effects import Effect, Kind
from agent_cli.types.errors import ToolError
from agent_cli.types.outcomes import Code
from agent_cli.workspace.gate import Workspace


class Arguments(ToolArguments, frozen=True):
    query: Annotated[
        str,
        Meta(description="What to look for, in words: a question, or the names you expect in it."),
    ]
    path: Annotated[
        str | None,
        Meta(
            description="A directory or file to search in, relative to the workspace root; "
            "everything if left out."
        ),
    ] = None


class CodebaseSearch(Tool[Arguments]):
    name = "codebase_search"
    description = (
        "Search the workspace for the parts of files that fit a description best, when you do not "
        "know the exact words; search_files finds exact patterns. Returns at most "
        f"{LIMIT} parts of about 1,000 characters, the best first; a score of 1 is the best of "
        "this search. What .gitignore covers, binary files and files over 1 MiB are not in it. "
        "The first search of a workspace makes the index and takes longer."
    )
    kind = Kind.READ
    arguments = Arguments
    example = Arguments("where is the discount of a cart worked out?", "src")
    touches = (Effect(Kind.READ, "path"),)
    limits = (
        f"{LIMIT} parts of about {WANTED:,} characters.",
        f"{FILES:,} files of at most {size(LARGEST)}, {size(BYTES)} together, are in the index.",
        f"{SECONDS:g} seconds for making it; then what there is of it is searched.",
    )
    failures = (
        Reason("no_words", "The query has no word to look for.", Code.INVALID_ARGUMENTS),
        BLOCKED,
        UNREADABLE,
        Reason("outside", "The path lies outside the workspace, of which the index is."),
        Reason("index", "The file of the index cannot be made or used."),
    )
    needs = "a folder for the index"

    def available(self, services: Services) -> bool:
        return services.index is not None

    def effects(self, arguments: Arguments, context: ToolContext) -> tuple[Effect, ...]:
        return (context.workspace.effect(Kind.READ, arguments.path or "."),)

    def preview(self, arguments: Arguments, context: ToolContext) -> Words:
        return Words(f"search {arguments.path or '.'!r} for what fits {arguments.query!r}")

    async def run(self, arguments: Arguments, context: ToolContext) -> str:
        index = context.services.index
        if index is None:
            raise ToolError("there is no index in this session: use search_files")
        below = _below(arguments.path or ".", context.workspace)
        question = Question(arguments.query, below)
        found = await index.search(question, context.workspace, context.progress)
        return _rendered(arguments.query, found)


TOOL = CodebaseSearch()


def _below(path: str, workspace: Workspace) -> str:
    """Return the path as the index spells it."""
    target = workspace.effect(Kind.READ, path).target
    if workspace.is_file(path):
        return target
    if not workspace.is_dir(path):
        raise ToolError(f"{path!r} does not exist (list_files shows what there is)")
    return "" if target == "." else f"{target.rstrip('/')}/"


def _rendered(query: str, found: Found) -> str:
    notes = [f"Note: {note}" for note in found.notes]
    if not found.hits:
        return "\n".join([f"Nothing fits {query!r} in {found.files} files.", *notes])
    hits = [
        f"File path: {hit.path}\nScore: {hit.score:.2f}\nLines: {hit.first}-{hit.last}\n"
        f"Code Chunk:\n{hit.text}"
        for hit in found.hits
    ]
    return "\n\n".join([f"Query: {query}\nResults:", *hits, *notes])

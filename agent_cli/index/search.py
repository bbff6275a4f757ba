"""Searches the code of a workspace by words, in an index that is brought up to date first.

Everything that takes long happens in a thread. What is found is read again before it is shown, so
nothing is shown that is refused by now, or has changed since.
"""

import asyncio
import threading
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from agent_cli.types.errors import ToolError
from agent_cli.types.outcomes import Code
from agent_cli.workspace.gate import Workspace

if TYPE_CHECKING:
    from agent_cli.index.refresh import Coverage, Work
    from agent_cli.index.store import Match, Store

LIMIT = 20
"""Chunks in one answer."""
_TAKEN = 2 * LIMIT
"""Chunks that are looked at: some may not be there any more."""
_LEAST = 0.2
"""Of the best match's score; what is worse shares a common word and no more."""


class Hit(Struct, frozen=True):
    path: str
    score: float
    """1 is the best of its search."""
    first: int
    last: int
    text: str


class Found(Struct, frozen=True):
    hits: tuple[Hit, ...]
    files: int
    """That are in the index."""
    notes: tuple[str, ...] = ()


class Question(Struct, frozen=True):
    words: str
    below: str = ""
    """A file, or a directory with a slash at its end; relative to the first root, or absolute."""


class Index:
    """One for a session; opens and makes nothing before the first search."""

    def __init__(self, folder: Path) -> None:
        """Keep databases in a folder that need not exist."""
        self._folder = folder

    async def search(
        self, question: Question, workspace: Workspace, tell: Callable[[str], None]
    ) -> Found:
        """Return what matches best. ToolError for a question without words, or no index."""
        stop = threading.Event()
        loop = asyncio.get_running_loop()

        def tell_loop(text: str) -> None:
            if not stop.is_set():
                loop.call_soon_threadsafe(tell, text)

        try:
            return await asyncio.to_thread(
                self._search, question, workspace, stop.is_set, tell_loop
            )
        finally:
            stop.set()

    def _search(
        self,
        question: Question,
        workspace: Workspace,
        stopped: Callable[[], bool],
        tell: Callable[[str], None],
    ) -> Found:
        from agent_cli.index.database import Database  # noqa: PLC0415 - sqlite3 only for a search
        from agent_cli.index.refresh import Work  # noqa: PLC0415 - as above

        root = root_of(question.below, workspace)
        work = Work(workspace, root, stopped, tell)
        database = Database(self._folder, root)
        covered, matches = database.use(lambda store: _look_up(store, work, question))
        hits = shown(matches, workspace)
        return Found(hits, covered.files, (covered.note,) if covered.note else ())


def root_of(below: str, workspace: Workspace) -> str:
    """Return the root in which a path lies; ToolError for one outside all of them."""
    path = str(workspace.root / below)
    for root in workspace.roots:
        if path == root or path.startswith(root.rstrip("/") + "/"):
            return root
    raise ToolError(f"{below!r} is outside the workspace, which is what the index is of")


def shown(matches: list[tuple["Match", str]], workspace: Workspace) -> tuple[Hit, ...]:
    """Return what may be shown of the best matches: what still is in a file that may be read."""
    from agent_cli.index.refresh import text_of  # noqa: PLC0415 - as in Index

    hits: list[Hit] = []
    for match, text in matches:
        try:
            body = text_of(workspace.read(match.path)) or ""
        except ToolError:
            continue
        place = "\n".join(body.split("\n")[match.first - 1 : match.last])
        if text and text in place and len(hits) < LIMIT:
            hits.append(Hit(match.path, match.rank, match.first, match.last, text))
    return tuple(hits)


def _look_up(
    store: "Store", work: "Work", question: Question
) -> tuple["Coverage", list[tuple["Match", str]]]:
    from agent_cli.index.refresh import refresh  # noqa: PLC0415 - as in Index
    from agent_cli.index.words import expression  # noqa: PLC0415 - as in Index

    words = expression(question.words)
    if not words:
        raise ToolError("the query has no word to look for", Code.INVALID_ARGUMENTS)
    covered = refresh(store, work)
    found = store.search(words, question.below, _TAKEN)
    best = found[0].rank if found else 0.0
    good = [replace(one, rank=one.rank / best) for one in found if one.rank >= best * _LEAST]
    return covered, list(zip(good, store.texts([one.hash for one in good]), strict=True))

"""Searches the code of a workspace by words, in an index that is brought up to date first.

Everything that takes long happens in a thread. What is found is read again before it is shown, so
nothing is shown that is refused by now, or has changed since.
"""

import asyncio
import threading
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from msgspec.structs import replace

from agent_cli.index.question import LIMIT, Embedder, Found, Hit, Question
from agent_cli.types.errors import ToolError
from agent_cli.types.outcomes import Code
from agent_cli.workspace.gate import Workspace

if TYPE_CHECKING:
    from agent_cli.index.database import Database
    from agent_cli.index.refresh import Coverage
    from agent_cli.index.store import Match, Store

_Work: TypeAlias = tuple[Workspace, str, Callable[[], bool], Callable[[str], None]]
"""The fields of `refresh.Work`."""
_TAKEN = 2 * LIMIT
"""Chunks that are looked at: some may not be there any more."""
_LEAST = 0.2
"""Of the best match's score; what is worse shares a common word and no more."""


class Index:
    """One for a session; opens and makes nothing before the first search."""

    def __init__(self, folder: Path, embedder: Embedder | None = None) -> None:
        """Keep databases in a folder that need not exist."""
        self._folder = folder
        self._embedder = embedder

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
            root = root_of(question.below, workspace)
            database, covered, matches = await asyncio.to_thread(
                self._look_up, question, (workspace, root, stop.is_set, tell_loop)
            )
            notes = [covered.note]
            if self._embedder is not None:
                from agent_cli.index.meaning import ranked  # noqa: PLC0415 - for who has set one

                matches, note = await ranked(database, self._embedder, question, matches)
                notes.append(note)
            hits = await asyncio.to_thread(_shown, database, matches[:_TAKEN], workspace)
            return Found(hits, covered.files, tuple(filter(None, notes)))
        finally:
            stop.set()

    def _look_up(
        self, question: Question, work: _Work
    ) -> tuple["Database", "Coverage", list["Match"]]:
        """Bring the index up to date, and search in it by words."""
        from agent_cli.index.database import Database  # noqa: PLC0415 - sqlite3 only for a search
        from agent_cli.index.refresh import Work, refresh  # noqa: PLC0415 - as above
        from agent_cli.index.words import expression  # noqa: PLC0415 - as above

        words = expression(question.words)
        if not words:
            raise ToolError("the query has no word to look for", Code.INVALID_ARGUMENTS)
        root = work[1]
        database = Database(self._folder, root)

        def look_up(store: "Store") -> tuple["Coverage", list["Match"]]:
            covered = refresh(store, Work(*work))
            return covered, store.search(words, question.below, _TAKEN)

        covered, found = database.use(look_up)
        best = found[0].rank if found else 0.0
        good = [replace(one, rank=one.rank / best) for one in found if one.rank >= best * _LEAST]
        return database, covered, good


def root_of(below: str, workspace: Workspace) -> str:
    """Return the root in which a path lies; ToolError for one outside all of them."""
    path = str(workspace.root / below)
    for root in workspace.roots:
        if path == root or path.startswith(root.rstrip("/") + "/"):
            return root
    raise ToolError(f"{below!r} is outside the workspace, which is what the index is of")


def _shown(database: "Database", matches: list["Match"], workspace: Workspace) -> tuple[Hit, ...]:
    """Return what may be shown of the best matches: what still is in a file that may be read."""
    from agent_cli.index.refresh import text_of  # noqa: PLC0415 - as in Index

    texts = database.use(lambda store: store.texts([match.hash for match in matches]))
    hits: list[Hit] = []
    for match, text in zip(matches, texts, strict=True):
        try:
            body = text_of(workspace.read(match.path)) or ""
        except ToolError:
            continue
        place = "\n".join(body.split("\n")[match.first - 1 : match.last])
        if text and text in place and len(hits) < LIMIT:
            hits.append(Hit(match.path, match.rank, match.first, match.last, text))
    return tuple(hits)

"""The names of the workspace's files, for completion: listed in the background, found quickly.

Listed is what `list_files` would show, hidden folders too: gate and ignore files hold. A list is
used until a newer one is there; a new one is begun when it is wanted and the last is old.
"""

import re
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from heapq import nsmallest
from threading import Thread

from msgspec import Struct

from agent_cli.tools.list_files import holds_what_nobody_wrote
from agent_cli.types.errors import ToolError
from agent_cli.workspace.gate import Entry, Workspace

MOST = 200_000
"""Names that are kept."""
_RANKED = 20_000
"""Names that are put in order, of those that match well: the ones next to the root."""
_FRESH = 5.0
"""Seconds for which a list is new enough; longer if making it took longer."""
_PATIENCE = 20
"""How many times as long as it took to make."""
_NOT_TEXT = re.compile("[\ud800-\udfff]")


class Names(Struct, frozen=True):
    """One list. A directory's name ends with a slash."""

    paths: tuple[str, ...] = ()
    folded: tuple[str, ...] = ()
    """The same in lower case, with a slash before."""


class FileNames:
    """The names below the roots of one workspace."""

    def __init__(self, workspace: Workspace, clock: Callable[[], float] = time.monotonic) -> None:
        self._workspace = workspace
        self._clock = clock
        self._known = Names()
        self._making: Future[None] | None = None
        self._until = 0.0

    def wanted(self) -> Future[None] | None:
        """Begin a new list if there is need; return what ends when the first one is there."""
        if self._making is None or (self._making.done() and self._clock() > self._until):
            made: Future[None] = Future()
            first = not self._known.paths
            self._making = made
            # A daemon: it only reads, and nobody who leaves shall wait for it.
            Thread(target=self._make, args=(made,), daemon=True).start()
            return made if first else None
        return None if self._known.paths else self._making

    def best(self, query: str, most: int) -> list[str]:
        """Return the names that fit the query best, the best first."""
        return best(self._known, query, most)

    def _make(self, made: Future[None]) -> None:
        begun = self._clock()
        try:
            self._known = _listed(self._workspace)
        finally:
            now = self._clock()
            self._until = now + max(_FRESH, _PATIENCE * (now - begun))
            made.set_result(None)


def _listed(workspace: Workspace) -> Names:
    paths: list[str] = []
    for root in (".", *workspace.roots[1:]):
        try:
            for entry in workspace.walk(root, enter=_is_entered):
                if len(paths) == MOST:
                    break
                if entry.path.isascii() or not _NOT_TEXT.search(entry.path):
                    paths.append(_spelled(entry))
        except ToolError:  # too much, or not to be read: what was found is worth something
            continue
    return Names(tuple(paths), tuple(f"/{path.lower()}" for path in paths))


def _is_entered(path: str) -> bool:
    return not holds_what_nobody_wrote(path)


def _spelled(entry: Entry) -> str:
    return f"{entry.path}/" if entry.is_dir else entry.path


def best(names: Names, query: str, most: int) -> list[str]:
    """Return the names that hold the query, or its characters in their order, the best first.

    Good are matches at the beginning of a name, then of a part of the path, then anywhere; of
    equally good ones the shorter, which lie next to the root.
    """
    wanted = query.lower()
    if not wanted:
        return list(names.paths[:most])
    found: dict[int, None] = {}
    for places in _matches(names.folded, wanted):
        ranked = [place for place in places if place not in found][:_RANKED]
        found |= dict.fromkeys(nsmallest(most, ranked, lambda at: _rank(names.folded[at], wanted)))
        if len(found) >= most:
            break
    return [names.paths[place] for place in found][:most]


def _matches(folded: tuple[str, ...], wanted: str) -> Iterator[list[int]]:
    """Yield better matches before worse ones, which are looked for only if there are too few."""
    head = f"/{wanted}"
    yield [at for at, path in enumerate(folded) if head in path]
    yield [at for at, path in enumerate(folded) if wanted in path]
    characters = map(re.escape, wanted)
    # Each character's first occurrence will do, so nothing is ever tried twice.
    scattered = re.compile("".join(f"[^{one}]*{one}" for one in characters), re.DOTALL).match
    yield [at for at, path in enumerate(folded) if scattered(path)]


def _rank(path: str, wanted: str) -> tuple[int, int, str]:
    name = path[path.rfind("/", 0, -1) + 1 :]
    if name.startswith(wanted):
        stem = name.rstrip("/").partition(".")[0]
        kind = 0 if wanted in (name, stem) else 1
    elif path.startswith(wanted, 1):
        kind = 2
    else:
        kind = 3 if wanted in name else 4
    return kind, len(path), path

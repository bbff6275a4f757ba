"""What a call says that it will write: kept before it runs, compared after it."""

from collections.abc import Iterable, Iterator

from agent_cli.types.entries import PreImageKept
from agent_cli.types.errors import ToolError
from agent_cli.types.evidence import FileChange
from agent_cli.undo.preimages import Store
from agent_cli.undo.restore import look_at, version
from agent_cli.workspace.placing import Thing


class Written:
    """The files that the calls of one session write. Paths are as effects spell them."""

    def __init__(self, root: str, store: Store) -> None:
        self._root = root
        self._store = store
        self.paths: set[str] = set()
        """Everything that calls of this process were allowed to write."""

    def keep(self, call_id: str, path: str) -> tuple[PreImageKept, ...]:
        """Keep what is there, durably, with the directories that are not there yet.

        Nothing is returned for what cannot be kept.
        """
        self.paths.add(path)
        try:
            thing = self._look(path)
            if thing is not None and self._store.put(thing.data) is None:
                return ()
            missing = [] if thing else [one for one in _above(path) if self._look(one) is None]
        except (OSError, ToolError):
            return ()
        made = (PreImageKept(call_id, one, None) for one in missing)
        return (*made, PreImageKept(call_id, path, version(thing)))

    def compare(self, kept: Iterable[PreImageKept]) -> tuple[list[FileChange], list[str]]:
        """Return what has become of the files, and the paths of which that cannot be told."""
        changes: list[FileChange] = []
        missed: list[str] = []
        for one in kept:
            try:
                thing = self._look(one.path)
                now = version(thing)
                if now != one.before:
                    self._remember(thing)
                    changes.append(FileChange(one.path, one.before, now))
            except (OSError, ToolError):
                missed.append(one.path)
        return changes, missed

    def _remember(self, thing: Thing | None) -> None:
        """Keep what a call has made: to be shown, and to be made again after an undo."""
        if thing is not None and thing.data:
            self._store.put(thing.data)

    def _look(self, path: str) -> Thing | None:
        return look_at(path, path if path.startswith("/") else f"{self._root}/{path}")


def _above(path: str) -> Iterator[str]:
    """Yield the directories above a path, outermost first."""
    parts = path.split("/")[:-1]
    for depth in range(1, len(parts) + 1):
        above = "/".join(parts[:depth])
        if above:
            yield above + "/"

"""The other names of a file: hard links within the roots."""

import time

from agent_cli.workspace._descend import status
from agent_cli.workspace._walk import walk

_FRESH_FOR = 1.0
"""Seconds for which one scan serves the reads of a search."""


class Links:
    """Finds names by inode; a scan is kept a moment, since a search asks for many files."""

    def __init__(self, roots: tuple[str, ...]) -> None:
        self._roots = roots
        self._names: dict[int, list[str]] = {}
        self._scanned = float("-inf")

    def names(self, device: int, inode: int, *, fresh: bool) -> tuple[str, ...]:
        """Return every name of the file within the roots, in order.

        `fresh` looks again; ToolError if there is too much to look through.
        """
        if fresh or time.monotonic() - self._scanned > _FRESH_FOR:
            self._scan()
        same = (
            path
            for path in self._names.get(inode, [])
            if (found := status(path)) is not None
            and (found.st_dev, found.st_ino) == (device, inode)
        )
        return tuple(sorted(set(same)))

    def _scan(self) -> None:
        names: dict[int, list[str]] = {}
        for root in self._roots:
            for found in walk(root, _everything):
                if not (found.is_dir or found.is_link):
                    names.setdefault(found.inode, []).append(found.path)
        self._names = names
        self._scanned = time.monotonic()


def _everything(folder: str, name: str, *, is_dir: bool) -> bool:
    return True

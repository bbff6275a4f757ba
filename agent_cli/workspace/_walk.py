"""Walk a tree: breadth first, names in order, no link followed, and always ending."""

# Paths are strings here: they may hold any byte, and most are reached by descriptor.
# ruff: noqa: PTH118

import os
import stat
from collections import deque
from collections.abc import Callable, Iterator

from msgspec import Struct

from agent_cli.types.errors import ToolError
from agent_cli.workspace._descend import directory
from agent_cli.workspace._draft import is_temporary

WALK_LIMIT = 200_000
"""Entries after which a walk raises."""
_DEPTH_LIMIT = 200
"""Directories below one another; deeper ones are not entered."""


class Entry(Struct, frozen=True):
    """A file, directory or link; devices, pipes and sockets are left out."""

    path: str
    """Relative to the root where it lies in it, else absolute."""
    is_dir: bool
    is_link: bool = False
    """A link is never followed, and not a directory even if it leads to one."""
    stamp: str = ""
    """What changes with a file's content; empty unless it was asked for."""


class Found(Struct, frozen=True):
    """One name met on a walk."""

    path: str
    is_dir: bool
    is_link: bool
    inode: int
    stamp: str = ""


Accept = Callable[[Found], bool]


def walk(
    top: str, accept: Accept, *, depth: int | None = None, stamped: bool = False
) -> Iterator[Found]:
    """Yield what is accepted; a directory that is not is not entered either.

    OSError if the top cannot be listed; what cannot be listed below it is passed over. ToolError
    after `WALK_LIMIT` names, accepted or not.
    """
    deepest = _DEPTH_LIMIT if depth is None else depth
    waiting = deque([(top, 1)])
    met = 0
    while waiting:
        path, level = waiting.popleft()
        try:
            names = _names(path, stamped=stamped)
        except OSError:
            if path == top:
                raise
            continue
        for found in names:
            met += 1
            if met > WALK_LIMIT:
                raise ToolError(f"more than {WALK_LIMIT} entries below {top!r}: name a part of it")
            if not accept(found):
                continue
            yield found
            if found.is_dir and level < deepest:
                waiting.append((found.path, level + 1))


def _names(path: str, *, stamped: bool) -> list[Found]:
    with directory(path) as folder, os.scandir(folder) as entries:
        return sorted(
            (
                Found(
                    os.path.join(path, entry.name),
                    entry.is_dir(follow_symlinks=False),
                    entry.is_symlink(),
                    entry.inode(),
                    _stamp(entry) if stamped else "",
                )
                for entry in entries
                if not is_temporary(entry.name)
                and (entry.is_symlink() or entry.is_file() or entry.is_dir())
            ),
            key=lambda found: found.path,
        )


def _stamp(entry: "os.DirEntry[str]") -> str:
    """Return size, times and inode; nothing for what is no file, or has just gone."""
    try:
        found = entry.stat(follow_symlinks=False)
    except FileNotFoundError:
        return ""
    if not stat.S_ISREG(found.st_mode):
        return ""
    return f"{found.st_size} {found.st_mtime_ns} {found.st_ctime_ns} {found.st_ino}"

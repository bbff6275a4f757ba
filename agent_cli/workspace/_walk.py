"""Walk a tree: breadth first, names in order, no link followed, and always ending."""

import os
import stat
from collections import deque
from collections.abc import Callable, Iterator
from operator import attrgetter
from typing import Protocol

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


class Accept(Protocol):
    """Whether an entry of a folder is yielded, and entered if it is a directory."""

    def __call__(self, folder: str, name: str, *, is_dir: bool) -> bool: ...


Enter = Callable[[str], bool]
"""Whether to look into a directory that was yielded, by its path from the top."""


def everywhere(_: str) -> bool:
    return True


def walk(
    top: str, accept: Accept, enter: Enter = everywhere, *, stamped: bool = False
) -> Iterator[Found]:
    """Yield what is accepted; a directory that is not is not entered either.

    OSError if the top cannot be listed; what cannot be listed below it is passed over. ToolError
    after `WALK_LIMIT` names, accepted or not.
    """
    above = len(top.rstrip("/")) + 1
    waiting = deque([(top, 1)])
    met = 0
    while waiting:
        path, level = waiting.popleft()
        try:
            for entry in _entries(path):
                met += 1
                if met > WALK_LIMIT:
                    raise ToolError(
                        f"more than {WALK_LIMIT} entries below {top!r}: name a part of it"
                    )
                if not accept(path, entry.name, is_dir=entry.is_dir(follow_symlinks=False)):
                    continue
                found = _found(path, entry, stamped=stamped)
                yield found
                if found.is_dir and level < _DEPTH_LIMIT and enter(found.path[above:]):
                    waiting.append((found.path, level + 1))
        except OSError:
            if path == top:
                raise


def _entries(path: str) -> Iterator["os.DirEntry[str]"]:
    """Yield in the order of names; the directory is open meanwhile, so entries can be asked."""
    with directory(path) as folder, os.scandir(folder) as entries:
        for entry in sorted(entries, key=attrgetter("name")):
            if not is_temporary(entry.name) and (
                entry.is_file(follow_symlinks=False)
                or entry.is_dir(follow_symlinks=False)
                or entry.is_symlink()
            ):
                yield entry


def _found(path: str, entry: "os.DirEntry[str]", *, stamped: bool) -> Found:
    return Found(
        f"{path}{entry.name}" if path == "/" else f"{path}/{entry.name}",
        entry.is_dir(follow_symlinks=False),
        entry.is_symlink(),
        entry.inode(),
        _stamp(entry) if stamped else "",
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

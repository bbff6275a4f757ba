"""Reach a directory by descriptors alone, so that no component can be swapped for a link.

Paths here are canonical: absolute, with every link already resolved. A link met on the way down
was put there since, and is refused.
"""

# Paths are strings here: they may hold any byte, and most are reached by descriptor.
# ruff: noqa: PTH118

import errno
import os
import stat
from collections.abc import Generator
from contextlib import contextmanager, suppress

from agent_cli.types.errors import BlockedPathError
from agent_cli.workspace._openat2 import open_without_links

# Passing through a directory needs no permission to read it; descriptors made with these need none.
_PASS: int = getattr(os, "O_PATH", getattr(os, "O_SEARCH", os.O_RDONLY))
_DIRECTORY = os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_REGULAR = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC


@contextmanager
def directory(path: str) -> Generator[int]:
    """Yield a descriptor of the directory, open for reading; raises OSError."""
    folder = open_without_links(path, os.O_RDONLY | _DIRECTORY)
    if folder is None:
        passing = _step_by_step(path)
        try:
            folder = os.open(".", os.O_RDONLY | _DIRECTORY, dir_fd=passing)
        finally:
            os.close(passing)
    try:
        yield folder
    finally:
        os.close(folder)


def descend(path: str) -> int:
    """Return a descriptor of the directory that is good for names below it only."""
    folder = open_without_links(path, _PASS | _DIRECTORY)
    return _step_by_step(path) if folder is None else folder


def _step_by_step(path: str) -> int:
    current = os.open("/", _PASS | _DIRECTORY)
    for part in path.split("/"):
        if not part:
            continue
        try:
            below = os.open(part, _PASS | _DIRECTORY, dir_fd=current)
        finally:
            os.close(current)
        current = below
    return current


def status(path: str) -> os.stat_result | None:
    """Return what lies at the path, a link as itself, or None where nothing does."""
    parent, name = os.path.split(path)
    try:
        folder = descend(parent)
    except (FileNotFoundError, NotADirectoryError):
        return None
    try:
        return os.stat(name or ".", dir_fd=folder, follow_symlinks=False)
    except FileNotFoundError:
        return None
    finally:
        os.close(folder)


def open_regular(name: str, folder: int) -> int:
    """Open a regular file of the folder for reading, never waiting for the other end of a pipe.

    Looks before it opens, since opening alone already does something to some devices.
    """
    _refuse_irregular(os.stat(name or ".", dir_fd=folder, follow_symlinks=False), name)
    descriptor = os.open(name, _REGULAR, dir_fd=folder)
    try:
        _refuse_irregular(os.fstat(descriptor), name)
    except BaseException:
        os.close(descriptor)
        raise
    return descriptor


def refuse_special(found: os.stat_result, path: str) -> None:
    """Raise BlockedPathError for what is neither file, directory nor link."""
    if stat.S_ISREG(found.st_mode) or stat.S_ISDIR(found.st_mode) or stat.S_ISLNK(found.st_mode):
        return
    raise BlockedPathError(f"{path!r} is a device, pipe or socket: such files are never opened")


def _refuse_irregular(found: os.stat_result, name: str) -> None:
    refuse_special(found, name)
    if stat.S_ISDIR(found.st_mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), name)


def make_directories(path: str) -> tuple[str, ...]:
    """Make the directory and those above it; return the new ones, outermost first."""
    created: list[str] = []
    reached = "/"
    current = os.open("/", _PASS | _DIRECTORY)
    try:
        for part in filter(None, path.split("/")):
            reached = os.path.join(reached, part)
            with suppress(FileExistsError):
                if not _exists(part, current):
                    os.mkdir(part, dir_fd=current)
                    created.append(reached)
            below = os.open(part, _PASS | _DIRECTORY, dir_fd=current)
            os.close(current)
            current = below
    except BaseException:
        remove_directories(tuple(created))
        raise
    finally:
        os.close(current)
    return tuple(created)


def _exists(name: str, folder: int) -> bool:
    try:
        os.stat(name, dir_fd=folder, follow_symlinks=False)
    except FileNotFoundError:
        return False
    return True


def remove_directories(created: tuple[str, ...]) -> None:
    """Undo `make_directories` as far as the directories are still empty."""
    for path in reversed(created):
        parent, name = os.path.split(path)
        with suppress(OSError):
            folder = descend(parent)
            try:
                os.rmdir(name, dir_fd=folder)
            finally:
                os.close(folder)

"""Directories held against other writers like this one, and tidied of what a kill left in them.

A draft has a name for a moment before it takes its file's place. So that a kill in that moment
can be made good by the next start, wherever it happened, the directories being written to are
noted: each by a symbolic link to it, in a directory of the user's own.
"""

# Paths are strings here: they may hold any byte, and most are reached by descriptor.
# ruff: noqa: PTH103, PTH108, PTH115, PTH118, PTH208, PTH211

import errno
import fcntl
import os
import time
from collections.abc import Generator, Iterable
from contextlib import ExitStack, contextmanager, suppress

from agent_cli.types.errors import ToolError
from agent_cli.workspace._descend import directory
from agent_cli.workspace._draft import is_temporary

_NO_LOCKS = frozenset({errno.ENOLCK, errno.ENOTSUP, errno.EINVAL, errno.EBADF})
_LOCK_TRIES = 100
_LOCK_PAUSE = 0.02


@contextmanager
def held(paths: Iterable[str], notes: str) -> Generator[dict[str, int]]:
    """Yield a descriptor of each directory, all of them locked; always in the same order."""
    with ExitStack() as stack:
        folders: dict[str, int] = {}
        for path in sorted(set(paths)):
            folders[path] = stack.enter_context(directory(path))
            _lock(folders[path])
            stack.enter_context(_tidied(path, folders[path], notes))
        yield folders


def tidy_noted(notes: str) -> None:
    """Remove what was left in the directories that are noted and that nobody writes to now."""
    try:
        names = os.listdir(notes)
    except OSError:  # usually there is none
        return
    for name in names:
        note = os.path.join(notes, name)
        with suppress(OSError, ToolError):
            path = os.readlink(note)
            with suppress(FileNotFoundError, NotADirectoryError), directory(path) as folder:
                fcntl.flock(folder, fcntl.LOCK_EX | fcntl.LOCK_NB)
                if not _tidy(folder):
                    continue
            os.unlink(note)


@contextmanager
def _tidied(path: str, folder: int, notes: str) -> Generator[None]:
    """Leave no temporary name behind, or else a note."""
    _tidy(folder)
    note = os.path.join(notes, os.urandom(8).hex()) if notes else ""
    if note:
        with suppress(OSError):  # a note is worth no failed write
            os.makedirs(notes, mode=0o700, exist_ok=True)
            os.symlink(path, note)
    try:
        yield
    finally:
        if _tidy(folder) and note:
            with suppress(OSError):
                os.unlink(note)


def _tidy(folder: int) -> bool:
    """Remove temporary names; return whether none is left."""
    try:
        for name in filter(is_temporary, os.listdir(folder)):
            os.unlink(name, dir_fd=folder)
    except OSError:
        return False
    return True


def _lock(folder: int) -> None:
    tries = _LOCK_TRIES
    while True:
        try:
            fcntl.flock(folder, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            tries -= 1
            if not tries:
                raise ToolError("another program keeps the directory locked: try again") from error
            time.sleep(_LOCK_PAUSE)
        except OSError as error:
            if error.errno not in _NO_LOCKS:
                raise
            return
        else:
            return

"""Replace a file's content as one step: at every moment it is the old file or the new one.

The new content is written beside the target, made durable, given the target's mode, owner and
extended attributes, and renamed over it. Where the system can, it has no name until it is
complete, so that a kill leaves nothing behind; what a kill leaves elsewhere, the next write to
the same directory removes.
"""

# Paths are strings here: they may hold any byte, and most are reached by descriptor.
# ruff: noqa: PTH112, PTH123

import errno
import fcntl
import os
import re
import stat
import time
from collections.abc import Generator
from contextlib import contextmanager, suppress

from agent_cli.types.errors import ToolError
from agent_cli.workspace._descend import (
    directory,
    make_directories,
    open_regular,
    remove_directories,
)

_TEMPORARY = re.compile(r"\.agent-[0-9a-f]{16}\.tmp")
_UNNAMED: int = getattr(os, "O_TMPFILE", 0)
_DRAFT = os.O_RDWR | os.O_CLOEXEC | os.O_NOFOLLOW
_NO_LOCKS = frozenset({errno.ENOLCK, errno.ENOTSUP, errno.EINVAL, errno.EBADF})
_NO_LINKS = frozenset({errno.EPERM, errno.ENOTSUP, errno.EMLINK, errno.ENOSYS})
_LOCK_TRIES = 100
_LOCK_PAUSE = 0.02


def is_temporary(name: str) -> bool:
    """Whether the name is one of a draft that a kill left behind."""
    return _TEMPORARY.fullmatch(name) is not None


def create(path: str, data: bytes) -> None:
    """Make a new file, and the directories above it; FileExistsError where something is."""
    parent, name = os.path.split(path)
    made = make_directories(parent)
    try:
        with directory(parent) as folder, _locked(folder), _draft(folder, 0o666) as draft:
            draft.fill(data)
            draft.publish_new(name)
            os.fsync(folder)
    except BaseException:
        remove_directories(made)
        raise


def replace(names: tuple[str, ...], data: bytes, expected: bytes) -> None:
    """Put the data in the place of the file, under the one or more names that it has.

    ToolError if its content is not what is expected, or if it is read-only.
    """
    parent, name = os.path.split(names[0])
    with directory(parent) as folder, _locked(folder), _draft(folder, 0o600) as draft:
        old = _look(folder, name)
        draft.fill(data)
        draft.take_after(old, folder, name)
        if not _unchanged(folder, name, old, expected):
            raise changed(names[0])
        draft.publish_over(name)
        for other in names[1:]:
            _join(folder, name, other)
        os.fsync(folder)


def changed(path: str) -> ToolError:
    return ToolError(f"{path!r} has changed since it was read: read it again before editing it")


def _look(folder: int, name: str) -> os.stat_result:
    descriptor = open_regular(name, folder)
    try:
        found = os.fstat(descriptor)
    finally:
        os.close(descriptor)
    if not found.st_mode & stat.S_IWUSR:
        raise ToolError(f"{name!r} is read-only: ask the user before changing that")
    return found


def _unchanged(folder: int, name: str, old: os.stat_result, expected: bytes) -> bool:
    try:
        descriptor = open_regular(name, folder)
    except FileNotFoundError:
        return False
    with open(descriptor, "rb") as file:
        now = os.fstat(descriptor)
        same = (now.st_ino, now.st_dev, now.st_mode) == (old.st_ino, old.st_dev, old.st_mode)
        return same and file.read(len(expected) + 1) == expected


def _join(folder: int, name: str, other: str) -> None:
    """Make another name of the old file a name of the new one."""
    parent, last = os.path.split(other)
    with directory(parent) as elsewhere:
        temporary = _fresh_name()
        os.link(name, temporary, src_dir_fd=folder, dst_dir_fd=elsewhere, follow_symlinks=False)
        os.rename(temporary, last, src_dir_fd=elsewhere, dst_dir_fd=elsewhere)
        os.fsync(elsewhere)


@contextmanager
def _locked(folder: int) -> Generator[None]:
    """Hold the directory's lock against other writers like this one; sweep what a kill left."""
    _lock(folder)
    for name in filter(is_temporary, os.listdir(folder)):
        with suppress(FileNotFoundError):
            os.unlink(name, dir_fd=folder)
    yield


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


@contextmanager
def _draft(folder: int, mode: int) -> Generator["_Draft"]:
    draft = _Draft(folder, mode)
    try:
        yield draft
    finally:
        draft.discard()


class _Draft:
    """A file that nobody can see yet, in the directory where it will be published."""

    def __init__(self, folder: int, mode: int) -> None:
        self._folder = folder
        self._name = ""
        """Empty while the file has no name."""
        if _UNNAMED and os.path.isdir("/proc/self/fd"):
            try:
                self._descriptor = os.open(".", _DRAFT | _UNNAMED, mode, dir_fd=folder)
            except OSError as error:  # not every file system has files without names
                if error.errno not in {errno.EOPNOTSUPP, errno.EISDIR, errno.ENOENT}:
                    raise
            else:
                return
        name = _fresh_name()
        self._descriptor = os.open(name, _DRAFT | os.O_CREAT | os.O_EXCL, mode, dir_fd=folder)
        self._name = name

    def fill(self, data: bytes) -> None:
        rest = memoryview(data)
        while rest:
            rest = rest[os.write(self._descriptor, rest) :]

    def take_after(self, old: os.stat_result, folder: int, name: str) -> None:
        """Take owner, extended attributes and mode of the old file, in the order that keeps all."""
        mine = os.fstat(self._descriptor)
        if (mine.st_uid, mine.st_gid) != (old.st_uid, old.st_gid):
            os.fchown(self._descriptor, old.st_uid, old.st_gid)
        original = open_regular(name, folder)
        try:
            _copy_attributes(original, self._descriptor)
        finally:
            os.close(original)
        os.fchmod(self._descriptor, stat.S_IMODE(old.st_mode))

    def publish_new(self, name: str) -> None:
        """Give the file its name; FileExistsError if something took it meanwhile."""
        os.fsync(self._descriptor)
        try:
            self._link(name)
        except OSError as error:
            if not self._name or error.errno not in _NO_LINKS:
                raise
            with suppress(FileNotFoundError):
                os.stat(name, dir_fd=self._folder, follow_symlinks=False)
                raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), name) from error
            os.rename(self._name, name, src_dir_fd=self._folder, dst_dir_fd=self._folder)

    def publish_over(self, name: str) -> None:
        os.fsync(self._descriptor)
        if not self._name:
            temporary = _fresh_name()
            self._link(temporary)
            self._name = temporary
        os.rename(self._name, name, src_dir_fd=self._folder, dst_dir_fd=self._folder)

    def discard(self) -> None:
        os.close(self._descriptor)
        if self._name:
            with suppress(FileNotFoundError):
                os.unlink(self._name, dir_fd=self._folder)

    def _link(self, name: str) -> None:
        if self._name:
            source, folder = self._name, self._folder
        else:
            source, folder = f"/proc/self/fd/{self._descriptor}", None
        os.link(
            source,
            name,
            src_dir_fd=folder,
            dst_dir_fd=self._folder,
            follow_symlinks=folder is None,
        )


def _copy_attributes(source: int, target: int) -> None:
    if not hasattr(os, "listxattr"):
        return
    for attribute in os.listxattr(source):
        try:
            os.setxattr(target, attribute, os.getxattr(source, attribute))
        except OSError:
            if not attribute.startswith("security."):  # labels are the system's to give
                raise


def _fresh_name() -> str:
    return f".agent-{os.urandom(8).hex()}.tmp"

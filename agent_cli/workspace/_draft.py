"""A file that nobody can see yet, in the directory where it will be published.

Where the system can, it has no name until it is complete and about to take its place.
"""

# Paths are strings here: they may hold any byte, and most are reached by descriptor.
# ruff: noqa: PTH112

import errno
import os
import re
import stat
from collections.abc import Generator
from contextlib import contextmanager, suppress

from agent_cli.workspace._descend import open_regular

_TEMPORARY = re.compile(r"\.agent-[0-9a-f]{16}\.tmp")
_UNNAMED: int = getattr(os, "O_TMPFILE", 0)
_DRAFT = os.O_RDWR | os.O_CLOEXEC | os.O_NOFOLLOW
_NO_LINKS = frozenset({errno.EPERM, errno.ENOTSUP, errno.EMLINK, errno.ENOSYS})


def is_temporary(name: str) -> bool:
    """Whether the name is one of a draft that a kill left behind."""
    return _TEMPORARY.fullmatch(name) is not None


def fresh_name() -> str:
    return f".agent-{os.urandom(8).hex()}.tmp"


@contextmanager
def drafted(folder: int, mode: int) -> Generator["Draft"]:
    draft = Draft(folder, mode)
    try:
        yield draft
    finally:
        os.close(draft.descriptor)


class Draft:
    """Made by `drafted`, in a directory that is held: that removes its name, if one stays."""

    def __init__(self, folder: int, mode: int) -> None:
        self._folder = folder
        self._name = ""
        """Empty while the file has no name."""
        if _UNNAMED and os.path.isdir("/proc/self/fd"):
            try:
                self.descriptor = os.open(".", _DRAFT | _UNNAMED, mode, dir_fd=folder)
            except OSError as error:  # not every file system has files without names
                if error.errno not in {errno.EOPNOTSUPP, errno.EISDIR, errno.ENOENT}:
                    raise
            else:
                return
        name = fresh_name()
        self.descriptor = os.open(name, _DRAFT | os.O_CREAT | os.O_EXCL, mode, dir_fd=folder)
        self._name = name

    def fill(self, data: bytes) -> None:
        rest = memoryview(data)
        while rest:
            rest = rest[os.write(self.descriptor, rest) :]

    def take_after(self, old: os.stat_result, folder: int, name: str) -> None:
        """Take owner, extended attributes and mode of the old file, in the order that keeps all."""
        mine = os.fstat(self.descriptor)
        if (mine.st_uid, mine.st_gid) != (old.st_uid, old.st_gid):
            os.fchown(self.descriptor, old.st_uid, old.st_gid)
        original = open_regular(name, folder)
        try:
            _copy_attributes(original, self.descriptor)
        finally:
            os.close(original)
        os.fchmod(self.descriptor, stat.S_IMODE(old.st_mode))

    def publish_new(self, name: str) -> None:
        """Give the file its name; FileExistsError if something took it meanwhile."""
        os.fsync(self.descriptor)
        try:
            self._link(name)
        except OSError as error:
            if not self._name or error.errno not in _NO_LINKS:
                raise
            with suppress(FileNotFoundError):
                os.stat(name, dir_fd=self._folder, follow_symlinks=False)
                raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), name) from error
            os.rename(self._name, name, src_dir_fd=self._folder, dst_dir_fd=self._folder)

    def settle(self) -> str:
        """Make the content durable; return the name that the file has for the moment."""
        os.fsync(self.descriptor)
        if not self._name:
            temporary = fresh_name()
            self._link(temporary)
            self._name = temporary
        return self._name

    def _link(self, name: str) -> None:
        if self._name:
            source, folder = self._name, self._folder
        else:
            source, folder = f"/proc/self/fd/{self.descriptor}", None
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

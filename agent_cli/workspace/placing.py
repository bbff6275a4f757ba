"""Looks at what lies at a path, and puts something else in its place: what undo needs.

Paths are canonical: absolute, with every link resolved when the path was noted. A link met on the
way down was put there since, and is an error. What is replaced is what the caller has looked at, or
nothing is replaced.
"""

# Paths are strings here: they may hold any byte, and all are reached by descriptor.
# ruff: noqa: PTH123

import os
import stat
from collections.abc import Generator
from contextlib import contextmanager

from msgspec import Struct

from agent_cli.workspace import _atomic
from agent_cli.workspace._descend import descend, make_directories, open_regular, status
from agent_cli.workspace._draft import drafted, fresh_name
from agent_cli.workspace._held import held
from agent_cli.workspace._links import Links
from agent_cli.workspace.files import READ_LIMIT, read

PERMISSIONS = 0o7777


class Thing(Struct, frozen=True):
    """A file, a link or a directory."""

    mode: int
    """Type and permission bits; of a file the latter alone."""
    data: bytes = b""
    """The content of a file; where a link leads."""

    @property
    def is_file(self) -> bool:
        return stat.S_IFMT(self.mode) == 0

    @property
    def is_link(self) -> bool:
        return stat.S_ISLNK(self.mode)

    @property
    def is_directory(self) -> bool:
        return stat.S_ISDIR(self.mode)


def plain(mode: int) -> int:
    """Return the mode as a `Thing` has it: a regular file's is its permission bits alone."""
    return stat.S_IMODE(mode) if stat.S_ISREG(mode) else mode


def look(path: str, limit: int = READ_LIMIT) -> Thing | None:
    """Return what lies there, None for nothing.

    Raises OSError, and ToolError for a file that is special or longer than the limit.
    """
    found = status(path)
    if found is None:
        return None
    if stat.S_ISDIR(found.st_mode):
        return Thing(found.st_mode)
    if not stat.S_ISLNK(found.st_mode):
        try:
            data, now = read(path, limit)
        except FileNotFoundError:
            return None
        return Thing(plain(now.st_mode), data)
    with _parent(path) as (folder, name):
        return Thing(found.st_mode, os.fsencode(os.readlink(name, dir_fd=folder)))


class Placing:
    """Puts things in their places, within the given roots."""

    def __init__(self, roots: tuple[str, ...], notes: str) -> None:
        """Keep in `notes` which directories are written to at the moment."""
        self._notes = notes
        self._links = Links(roots)

    def put(self, path: str, thing: Thing | None, found: Thing | None) -> None:
        """Put the thing there, or nothing, in the place of what was found.

        Raises OSError, and ToolError if something else lies there by now. A directory that is not
        empty stays.
        """
        if found is None or thing is None or found.is_directory != thing.is_directory:
            if found is not None:
                self._remove(path, found)
            if thing is not None:
                self._make(path, thing)
        elif thing.is_directory or (thing.data == found.data and thing.is_file and found.is_file):
            _set_mode(path, thing.mode)
        elif thing.is_file and found.is_file:
            names = self._names(path)
            _atomic.replace(names, thing.data, found.data, self._notes, mode=thing.mode)
        else:
            self._exchange(path, thing, found)

    def _make(self, path: str, thing: Thing) -> None:
        if thing.is_file:
            _atomic.create(path, thing.data, self._notes, mode=thing.mode)
            return
        make_directories(os.path.split(path)[0])
        with self._held(path) as (folder, name):
            if thing.is_link:
                os.symlink(os.fsdecode(thing.data), name, dir_fd=folder)
            else:
                os.mkdir(name, 0o700, dir_fd=folder)
                os.chmod(name, stat.S_IMODE(thing.mode), dir_fd=folder)
            _atomic.sync(folder)

    def _remove(self, path: str, found: Thing) -> None:
        with self._held(path) as (folder, name):
            if found.is_directory:
                os.rmdir(name, dir_fd=folder)
            else:
                _demand(folder, name, found, path)
                os.unlink(name, dir_fd=folder)
            _atomic.sync(folder)

    def _exchange(self, path: str, thing: Thing, found: Thing) -> None:
        """Put a link in the place of a file or of another link, or a file in a link's."""
        with self._held(path) as (folder, name), drafted(folder, 0o600) as draft:
            if thing.is_link:
                temporary = fresh_name()
                os.symlink(os.fsdecode(thing.data), temporary, dir_fd=folder)
            else:
                draft.fill(thing.data)
                os.fchmod(draft.descriptor, thing.mode)
                temporary = draft.settle()
            _demand(folder, name, found, path)
            os.rename(temporary, name, src_dir_fd=folder, dst_dir_fd=folder)
            _atomic.sync(folder)

    def _names(self, path: str) -> tuple[str, ...]:
        found = status(path)
        if found is None or found.st_nlink == 1:
            return (path,)
        names = self._links.names(found.st_dev, found.st_ino, fresh=True)
        return (path, *(name for name in names if name != path))

    @contextmanager
    def _held(self, path: str) -> Generator[tuple[int, str]]:
        parent, name = os.path.split(path)
        with held((parent,), self._notes) as folders:
            yield folders[parent], name


def _set_mode(path: str, mode: int) -> None:
    with _parent(path) as (folder, name):
        descriptor = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=folder)
        try:
            os.fchmod(descriptor, stat.S_IMODE(mode))
        finally:
            os.close(descriptor)


def _demand(folder: int, name: str, found: Thing, path: str) -> None:
    """Raise ToolError unless the folder still holds what was found."""
    now = os.stat(name, dir_fd=folder, follow_symlinks=False)
    if plain(now.st_mode) != found.mode:
        raise _atomic.changed(path)
    if found.is_link:
        same = os.fsencode(os.readlink(name, dir_fd=folder)) == found.data
    else:
        with open(open_regular(name, folder), "rb") as file:
            same = file.read(len(found.data) + 1) == found.data
    if not same:
        raise _atomic.changed(path)


@contextmanager
def _parent(path: str) -> Generator[tuple[int, str]]:
    parent, name = os.path.split(path)
    folder = descend(parent)
    try:
        yield folder, name
    finally:
        os.close(folder)

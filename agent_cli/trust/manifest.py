"""What of a folder would act: settings, hooks, servers, modes, commands and skills, by content.

Rule 1: nothing is interpreted here. Files are read as bytes, bounded, and hashed.
Rule 2: everything is reached from the folder by descriptors, and no link is followed: what is
trusted has to lie where it is looked at. What cannot be looked at whole cannot be trusted.
Rule 3: a file of the folder that a settings file names acts too: a hook is what its script says.
Such a name may be a link; where it leads then belongs to what is trusted, and so does its target.
"""

# Paths are strings here: they may hold any byte, and all are reached by descriptor.
# ruff: noqa: PTH113, PTH118, PTH208

import errno
import os
import stat
from collections.abc import Generator, Iterable
from contextlib import contextmanager
from enum import StrEnum
from pathlib import Path

from msgspec import Struct

from agent_cli.trust.named import MOST_NAMED, names

CONFIG = ".agent/config.toml"
LOCAL_CONFIG = ".agent/config.local.toml"
MCP = ".mcp.json"
TOPS = (".agent", ".agents/skills", ".claude/skills", MCP)
"""Where everything lies that acts; a folder with none of them is not asked about."""
NAMING = (CONFIG, LOCAL_CONFIG, MCP)
"""Files whose words may name programs of the folder."""

FILE_LIMIT = 256 * 1024
PROGRAM_LIMIT = 64 * 1024 * 1024
"""Of a file that is only named: what is larger than `FILE_LIMIT` is known by its hash alone."""
TOTAL_LIMIT = 2 * 1024 * 1024
MOST_FILES = 500
DEEPEST = 8

_DIRECTORY = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_REGULAR = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC


class Obstacle(StrEnum):
    """Why something of a folder cannot be trusted."""

    LINK = "link"
    SPECIAL = "special"
    TOO_LARGE = "too large"
    TOO_MANY = "too many"
    TOO_DEEP = "too deep"
    UNREADABLE = "unreadable"


class Acting(Struct, frozen=True):
    """A file that would act."""

    path: str
    """Relative to the folder."""
    digest: str
    """SHA-256 of the content."""
    content: bytes
    """All of it; for a link or a large program that is named, a line that says what it is."""


class Refusal(Struct, frozen=True):
    path: str
    obstacle: Obstacle


class Manifest(Struct, frozen=True):
    """All that would act in a folder, at one moment."""

    files: tuple[Acting, ...] = ()
    refusals: tuple[Refusal, ...] = ()

    @property
    def acts(self) -> bool:
        return bool(self.files or self.refusals)

    def content(self, path: str) -> bytes | None:
        """Return what the file held; None where there is no such file."""
        return next((file.content for file in self.files if file.path == path), None)


def manifest(root: Path, places: Iterable[str] = TOPS) -> Manifest:
    """Look at the folder: at these places in it, and at what settings among them name."""
    tops = [top for top in places if os.path.lexists(root / top)]
    if not tops:
        return Manifest()
    real = os.path.realpath(root)
    look = _Look()
    with _opened(real) as folder:
        for top in tops:
            look.at(folder, top)
        for name in look.named():
            look.at_named(folder, name, real)
    files = tuple(sorted(look.files.values(), key=lambda file: file.path))
    return Manifest(files, tuple(look.refusals))


class _Look:
    """One look at a folder; what it finds adds up against the limits."""

    def __init__(self) -> None:
        self.files: dict[str, Acting] = {}
        self.refusals: list[Refusal] = []
        self._bytes = 0

    def at(self, folder: int, path: str) -> None:
        """Look at a path below the folder, and at all that lies below it."""
        try:
            with _parent(folder, path) as parent:
                self._entry(parent, path, 0)
        except OSError as error:
            linked = error.errno in {errno.ELOOP, errno.ENOTDIR}
            self._refuse(path, Obstacle.LINK if linked else Obstacle.UNREADABLE)

    def at_named(self, folder: int, path: str, root: str) -> None:
        """Look at what a settings file may mean by a word, if it is a file of the folder."""
        if path in self.files or not os.path.isfile(os.path.join(root, path)):
            return
        leads_to = os.path.realpath(os.path.join(root, path))
        inside = os.path.relpath(leads_to, root)
        if inside != path:
            self._keep(path, f"link to {leads_to}".encode(errors="surrogateescape"))
        if inside.startswith("../") or inside in self.files:
            return
        try:
            with _parent(folder, inside) as parent:
                self._file(parent, inside.rpartition("/")[2], inside, whole=False)
        except OSError:
            self._refuse(inside, Obstacle.UNREADABLE)

    def named(self) -> tuple[str, ...]:
        """Return what the settings files name and what may be a file of the folder."""
        texts = (self.files[name].content for name in NAMING if name in self.files)
        found = names(texts)
        if len(found) > MOST_NAMED:
            self._refuse(CONFIG, Obstacle.TOO_MANY)
        return found[:MOST_NAMED]

    def _entry(self, parent: int, path: str, depth: int) -> None:
        name = path.rpartition("/")[2]
        mode = os.stat(name, dir_fd=parent, follow_symlinks=False).st_mode
        if stat.S_ISLNK(mode):
            self._refuse(path, Obstacle.LINK)
        elif stat.S_ISREG(mode):
            self._file(parent, name, path)
        elif stat.S_ISDIR(mode):
            self._directory(parent, name, path, depth)
        else:
            self._refuse(path, Obstacle.SPECIAL)

    def _directory(self, parent: int, name: str, path: str, depth: int) -> None:
        if depth == DEEPEST:
            self._refuse(path, Obstacle.TOO_DEEP)
            return
        with _opened(name, parent) as folder:
            for below in sorted(os.listdir(folder)):
                if len(self.files) >= MOST_FILES or len(self.refusals) >= MOST_FILES:
                    self._refuse(path, Obstacle.TOO_MANY)
                    return
                try:
                    self._entry(folder, os.path.join(path, below), depth + 1)
                except OSError:
                    self._refuse(os.path.join(path, below), Obstacle.UNREADABLE)

    def _file(self, parent: int, name: str, path: str, *, whole: bool = True) -> None:
        descriptor = os.open(name, _REGULAR, dir_fd=parent)
        with os.fdopen(descriptor, "rb") as file:
            found = os.fstat(descriptor)
            if not stat.S_ISREG(found.st_mode):
                self._refuse(path, Obstacle.SPECIAL)
            elif found.st_size <= FILE_LIMIT:
                self._keep(path, file.read(FILE_LIMIT + 1))
            elif whole or found.st_size > PROGRAM_LIMIT:
                self._refuse(path, Obstacle.TOO_LARGE)
            else:
                from hashlib import file_digest  # noqa: PLC0415 - only for a large program

                seen = file_digest(file, "sha256").hexdigest()
                self._keep(path, f"{found.st_size} bytes, SHA-256 {seen}".encode())

    def _keep(self, path: str, content: bytes) -> None:
        self._bytes += len(content)
        if len(content) > FILE_LIMIT or self._bytes > TOTAL_LIMIT:
            self._refuse(path, Obstacle.TOO_LARGE)
            return
        self.files[path] = Acting(path, digest(content), content)

    def _refuse(self, path: str, obstacle: Obstacle) -> None:
        self.refusals.append(Refusal(path, obstacle))


def digest(content: bytes) -> str:
    from hashlib import sha256  # noqa: PLC0415 - only for a folder with something that acts

    return sha256(content).hexdigest()


@contextmanager
def _parent(folder: int, path: str) -> Generator[int]:
    """Yield a descriptor of the directory that the path's last name lies in."""
    parents = path.split("/")[:-1]
    current = os.dup(folder)
    try:
        for name in parents:
            below = os.open(name, _DIRECTORY, dir_fd=current)
            os.close(current)
            current = below
        yield current
    finally:
        os.close(current)


@contextmanager
def _opened(name: str, parent: int | None = None) -> Generator[int]:
    descriptor = os.open(name, _DIRECTORY, dir_fd=parent)
    try:
        yield descriptor
    finally:
        os.close(descriptor)

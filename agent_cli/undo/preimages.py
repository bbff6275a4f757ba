"""Contents of files, kept by their hash: what undo puts back.

Below one folder of the user's data directory, 0600 in 0700:

    sessions/ID/HASH    what the changes of one session need, for as long as the session has room
    pool/HA/HASH        what the files of a workspace are now, so that a command can be undone
    pool/ROOT.index     which file has which content, so that only what is new is read

A content is written beside its place and renamed to it, and read back only if it has its hash. The
pool can be lost at any time: then it is filled anew.
"""

import hashlib
import os
import shutil
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Protocol

MOST_OF_SESSIONS = 1024 * 1024 * 1024
"""Bytes of all sessions together; over that the oldest ones lose what was kept for them."""
MOST_OF_SESSION = 512 * 1024 * 1024
MOST_OF_POOL = 1024 * 1024 * 1024
MOST_IN_MEMORY = 64 * 1024 * 1024


def digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


class Store(Protocol):
    """Where contents are kept."""

    def put(self, data: bytes) -> str | None:
        """Keep the content durably; return its hash, None if there is no room. Raises OSError."""
        ...

    def get(self, content: str) -> bytes | None:
        """Return the content with that hash, None if it is not kept (any more)."""
        ...


class Memory:
    """Keeps contents for as long as the program runs."""

    def __init__(self, most: int = MOST_IN_MEMORY) -> None:
        self._left = most
        self._contents: dict[str, bytes] = {}

    def put(self, data: bytes) -> str | None:
        content = digest(data)
        if content in self._contents:
            return content
        if len(data) > self._left:
            return None
        self._left -= len(data)
        self._contents[content] = data
        return content

    def get(self, content: str) -> bytes | None:
        return self._contents.get(content)


class Folder:
    """Keeps contents as files of one folder; `spread` puts them into one for each first byte."""

    def __init__(self, path: Path, most: int, *, spread: bool = False) -> None:
        self.path = path
        self._most = most
        self._spread = spread
        self._size: int | None = None

    def put(self, data: bytes, *, durable: bool = True) -> str | None:
        """Keep the content; return its hash, None if there is no room. Raises OSError."""
        content = digest(data)
        place = self._place(content)
        if place.exists():
            return content
        if self.size + len(data) > self._most:
            return None
        _write(place, data, durable=durable)
        self._size = self.size + len(data)
        return content

    def get(self, content: str) -> bytes | None:
        try:
            data = self._place(content).read_bytes()
        except OSError:
            return None
        return data if digest(data) == content else None

    def adopt(self, content: str, other: "Folder") -> bool:
        """Take over a content from another folder; return whether it is kept here now."""
        place = self._place(content)
        if place.exists():
            return True
        data = other.get(content)
        return data is not None and self.put(data, durable=False) is not None

    def known(self) -> Mapping[str, int]:
        """Return the hashes of what is kept, with their sizes."""
        found: dict[str, int] = {}
        for folder in self._folders():
            with suppress(FileNotFoundError), os.scandir(folder) as entries:
                for entry in entries:
                    if len(entry.name) == _HASH:
                        found[entry.name] = entry.stat(follow_symlinks=False).st_size
        return found

    @property
    def size(self) -> int:
        """Bytes that are kept here."""
        if self._size is None:
            self._size = sum(self.known().values())
        return self._size

    def make_room(self) -> None:
        """Forget everything, if there is little room left."""
        if self.size > self._most * _NEARLY_FULL:
            shutil.rmtree(self.path, ignore_errors=True)
            self._size = None

    def _place(self, content: str) -> Path:
        if len(content) != _HASH or not content.isalnum():  # it was read from a file
            return self.path / "none"
        return self.path / content[:2] / content if self._spread else self.path / content

    def _folders(self) -> list[Path]:
        if not self._spread:
            return [self.path]
        with suppress(FileNotFoundError), os.scandir(self.path) as entries:
            return [Path(entry.path) for entry in entries if entry.is_dir(follow_symlinks=False)]
        return []


_HASH = 64
_NEARLY_FULL = 0.9


def session_folder(place: Path, session_id: str) -> Folder:
    """Return what is kept for one session; `place` holds all of undo."""
    return Folder(place / "sessions" / session_id, MOST_OF_SESSION)


def pool(place: Path) -> Folder:
    return Folder(place / "pool", MOST_OF_POOL, spread=True)


def prune(place: Path, current: str, most: int = MOST_OF_SESSIONS) -> tuple[str, ...]:
    """Forget the oldest sessions' contents until the rest has room; return which.

    Ids sort by time; the current session's are never forgotten.
    """
    folders = sorted((place / "sessions").glob("*"), key=lambda path: path.name)
    sizes = {path.name: Folder(path, most).size for path in folders}
    total = sum(sizes.values())
    gone: list[str] = []
    for path in folders:
        if total <= most:
            break
        if path.name != current:
            shutil.rmtree(path, ignore_errors=True)
            total -= sizes[path.name]
            gone.append(path.name)
    return tuple(gone)


def write_whole(place: Path, data: bytes) -> None:
    """Replace a file of ours, not durably; raises OSError."""
    _write(place, data, durable=False)


def _write(place: Path, data: bytes, *, durable: bool) -> None:
    beside = place.with_name(f".{place.name[:8]}-{os.urandom(6).hex()}.tmp")
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC
    try:
        descriptor = os.open(beside, flags, 0o600)
    except FileNotFoundError:  # the folder, the first time
        beside.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        descriptor = os.open(beside, flags, 0o600)
    try:
        try:
            rest = memoryview(data)
            while rest:
                rest = rest[os.write(descriptor, rest) :]
            if durable:
                os.fsync(descriptor)
        finally:
            os.close(descriptor)
        beside.replace(place)
    except BaseException:
        with suppress(OSError):
            beside.unlink()
        raise
    if durable:
        _sync(place.parent)


def _sync(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)

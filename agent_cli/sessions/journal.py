"""The session file: append-only, one writer, durable when asked."""

import fcntl
import os
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import BinaryIO, Generic, Protocol, TypeVar

from msgspec import Struct

from agent_cli.i18n.catalog import say
from agent_cli.sessions.codec import FORMAT, SEED, seal
from agent_cli.sessions.stream import Reading, lines_of
from agent_cli.types.entries import Entry, Envelope, SessionStarted
from agent_cli.types.errors import JournalError

_make_durable = getattr(os, "fdatasync", os.fsync)  # macOS has no fdatasync
_BUFFER = 256 * 1024

T = TypeVar("T")


class Loaded(Struct, Generic[T], frozen=True):
    """The longest valid beginning of a session file."""

    value: T
    """What was made of its entries, one after the other."""
    damage: str = ""
    """What is wrong behind it; empty if nothing is."""


class Log(Protocol):
    """What a session is written to."""

    path: Path | None
    """None: it is kept nowhere."""

    def append(self, entry: Entry) -> Envelope: ...

    def sync(self) -> None:
        """Return when everything appended so far survives a power cut."""
        ...

    def recall(self, take: Callable[[Iterator[Entry]], T]) -> T:
        """Have everything taken that was appended so far; raises JournalError."""
        ...

    def close(self) -> None: ...


class Journal:
    """A session file, locked for this process. Use `create` or `reopen`."""

    def __init__(self, path: Path, descriptor: int, *, seq: int, last_hash: str) -> None:
        self.path: Path | None = path
        self._descriptor = descriptor
        self._seq = seq
        self._hash = last_hash
        self._synced = True

    def append(self, entry: Entry) -> Envelope:
        """Write the entry; raises JournalError and leaves the file as it was if it cannot."""
        envelope = Envelope(self._seq, timestamp(), entry)
        try:
            line, digest = seal(envelope, self._hash)
            _write(self._descriptor, line)
        except (OSError, UnicodeEncodeError) as error:
            raise JournalError(
                say("cannot write the session {path}: {error}", path=self.path, error=error)
            ) from error
        self._seq += 1
        self._hash = digest
        self._synced = False
        return envelope

    def sync(self) -> None:
        if self._synced:
            return
        try:
            _make_durable(self._descriptor)
        except OSError as error:
            raise JournalError(
                say("cannot make the session {path} durable: {error}", path=self.path, error=error)
            ) from error
        self._synced = True

    def recall(self, take: Callable[[Iterator[Entry]], T]) -> T:
        assert self.path is not None
        return read(self.path, take).value

    def close(self) -> None:
        os.close(self._descriptor)


class Ephemeral:
    """A session that is kept in memory only."""

    def __init__(self) -> None:
        self.path: Path | None = None
        self._entries: list[Entry] = []

    def append(self, entry: Entry) -> Envelope:
        envelope = Envelope(len(self._entries), timestamp(), entry)
        self._entries.append(entry)
        return envelope

    def sync(self) -> None:
        """Do nothing: there is nothing to lose."""

    def recall(self, take: Callable[[Iterator[Entry]], T]) -> T:
        return take(iter(self._entries))

    def close(self) -> None:
        """Do nothing."""


def timestamp() -> str:
    """Return the time in UTC, ISO 8601 with microseconds."""
    now = time.time()
    whole = int(now)
    text = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(whole))
    return f"{text}.{int((now - whole) * 1e6):06d}Z"


def create(path: Path) -> Journal:
    """Create a session file, 0600 in a 0700 directory; raises JournalError."""
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_APPEND | os.O_CLOEXEC
        descriptor = os.open(path, flags, 0o600)
        try:
            _lock(descriptor, path)
            sync_directory(path.parent)
        except BaseException:
            os.close(descriptor)
            path.unlink()
            raise
    except OSError as error:
        raise JournalError(
            say("cannot create the session {path}: {error}", path=path, error=error)
        ) from error
    return Journal(path, descriptor, seq=0, last_hash=SEED)


def reopen(path: Path, take: Callable[[Iterator[Entry]], T]) -> tuple[Journal, Loaded[T]]:
    """Lock a session file to append to it, and have its entries taken; raises JournalError.

    A damaged end is copied to `<name>.damaged-<time>` first and then cut off; `Loaded.damage`
    says what was wrong, and how much that is.
    """
    try:
        descriptor = os.open(path, os.O_RDWR | os.O_APPEND | os.O_CLOEXEC)
    except OSError as error:
        raise JournalError(
            say("cannot open the session {path}: {error}", path=path, error=error)
        ) from error
    try:
        _lock(descriptor, path)
        with os.fdopen(descriptor, "rb", _BUFFER, closefd=False) as file:
            reading = Reading(lines_of(file))
            value = take(_entries(reading, path))
            damage = _cut_back(file, path, reading) if reading.damage else ""
    except OSError as error:
        os.close(descriptor)
        raise JournalError(
            say("cannot open the session {path}: {error}", path=path, error=error)
        ) from error
    except BaseException:
        os.close(descriptor)
        raise
    journal = Journal(path, descriptor, seq=reading.count, last_hash=reading.last_hash)
    return journal, Loaded(value, damage)


def read(path: Path, take: Callable[[Iterator[Entry]], T]) -> Loaded[T]:
    """Have a session file's entries taken, without locking or changing it; raises JournalError."""
    try:
        with path.open("rb", _BUFFER) as file:
            reading = Reading(lines_of(file))
            return Loaded(take(_entries(reading, path)), reading.damage)
    except OSError as error:
        raise JournalError(
            say("cannot read the session {path}: {error}", path=path, error=error)
        ) from error


def remove(path: Path) -> None:
    """Delete a session file and what was set aside of it; raises JournalError.

    A session that is open in another process stays.
    """
    try:
        descriptor = os.open(path, os.O_RDWR | os.O_CLOEXEC)
        try:
            _lock(descriptor, path)
            path.unlink()
            for aside in path.parent.glob(f"{path.name}.damaged-*"):
                aside.unlink()
        finally:
            os.close(descriptor)
    except OSError as error:
        raise JournalError(
            say("cannot delete the session {path}: {error}", path=path, error=error)
        ) from error


def _entries(reading: Reading, path: Path) -> Iterator[Entry]:
    """Yield what a session of ours holds; raises JournalError for anything else."""
    envelopes = iter(reading)
    beginning = next(envelopes, None)
    if beginning is None:
        raise JournalError(
            say(
                "{path} holds no session: {what}",
                path=path,
                what=reading.damage or "the file is empty",
            )
        )
    first = beginning.entry
    if not isinstance(first, SessionStarted):
        raise JournalError(say("{path} does not begin with the start of a session", path=path))
    if first.format > FORMAT:
        raise JournalError(
            say(
                "{path} is of a newer format, {format}: update agent to open it",
                path=path,
                format=first.format,
            )
        )
    yield first
    yield from (envelope.entry for envelope in envelopes)


def _cut_back(file: BinaryIO, path: Path, reading: Reading) -> str:
    """Set the damaged file aside and cut it back; return what was wrong, and how much that is."""
    lines, size = _set_aside(path, file, reading.valid_bytes)
    many = "" if lines == 1 else "s"
    os.ftruncate(file.fileno(), reading.valid_bytes)
    os.fsync(file.fileno())
    return f"{reading.damage}; lost: {lines} line{many}, {size} bytes"


def _write(descriptor: int, line: bytes) -> None:
    """Write the whole line or nothing: a torn line would hide everything after it."""
    written = 0
    try:
        while written < len(line):
            written += os.write(descriptor, line[written:] if written else line)
    except OSError:
        if written:
            os.ftruncate(descriptor, os.fstat(descriptor).st_size - written)
        raise


def _lock(descriptor: int, path: Path) -> None:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as error:
        raise JournalError(
            say(
                "the session {stem} is open in another process: close it there first",
                stem=path.stem,
            )
        ) from error


def _set_aside(path: Path, file: BinaryIO, valid: int) -> tuple[int, int]:
    """Copy the file; return how many lines and bytes of it are not valid."""
    aside = path.with_name(f"{path.name}.damaged-{time.time_ns()}")
    descriptor = os.open(aside, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    size = lines = 0
    end = b""
    file.seek(0)
    with os.fdopen(descriptor, "wb") as copy:
        while piece := file.read(_BUFFER):
            copy.write(piece)
            lines += piece.count(b"\n", max(0, valid - size))
            size += len(piece)
            end = piece[-1:]
        copy.flush()
        os.fsync(descriptor)
    return lines + (end != b"\n"), size - valid


def sync_directory(directory: Path) -> None:
    """Return when the names in the directory survive a power cut; raises OSError."""
    descriptor = os.open(directory, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)

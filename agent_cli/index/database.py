"""The file that holds an index: private, shared by sessions, made anew when it is damaged.

A database is open only while it is used, under a shared lock of a file beside it. Who removes one
holds that lock alone. What a kill interrupts, SQLite's journal (WAL) undoes.
"""

import fcntl
import os
import sqlite3
import stat
import time
from collections.abc import Callable, Generator
from contextlib import closing, contextmanager
from hashlib import sha256
from pathlib import Path
from typing import TypeVar

from agent_cli.index.store import Store
from agent_cli.types.errors import ToolError

T = TypeVar("T")

VERSION = 1
"""Of the tables and of how texts are parted; another version uses another file."""
MOST = 20
"""Databases that are kept, those used last."""
_DAYS = 60
_DAY = 24 * 60 * 60
_PATIENCE = 30.0
"""Seconds to wait for another session."""
_PAUSE = 0.02
_NOT_DAMAGE = frozenset(
    {
        sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_FULL, sqlite3.SQLITE_READONLY,
        sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_NOMEM, sqlite3.SQLITE_PERM,
    }
)  # fmt: skip


class Database:
    """One workspace's database; nothing is opened or made before it is used."""

    def __init__(self, folder: Path, root: str) -> None:
        name = sha256(os.fsencode(root)).hexdigest()[:32]
        self.path = folder / f"{name}-{VERSION}.db"

    def use(self, work: Callable[[Store], T]) -> T:
        """Do the work, if need be again on an empty database. ToolError if it cannot be done."""
        try:
            try:
                return self._use(work)
            except sqlite3.DatabaseError as error:
                if not _is_damage(error):
                    raise
                return self._use_new(work)
        except (OSError, sqlite3.Error) as error:
            raise ToolError(f"the index {str(self.path)!r} cannot be used: {error}") from error

    def _use(self, work: Callable[[Store], T]) -> T:
        with self._lock(fcntl.LOCK_SH):
            new = self._make()
            with closing(_connect(self.path)) as connection:
                done = work(Store(connection))
        if new:
            self._prune()
        return done

    def _use_new(self, work: Callable[[Store], T]) -> T:
        with self._lock(fcntl.LOCK_EX):
            _remove(self.path)
        return self._use(work)

    def _make(self) -> bool:
        """Make the file if there is none, so that it is nobody else's; return whether it is new."""
        try:
            found = self.path.lstat()
        except FileNotFoundError:
            # Never opened by us once SQLite has it open: closing it would drop SQLite's locks.
            os.close(os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600))
            return True
        if not stat.S_ISREG(found.st_mode) or found.st_uid != os.getuid():
            raise ToolError(f"{str(self.path)!r} is not an index of ours: remove it")
        return False

    @contextmanager
    def _lock(self, kind: int, patience: float | None = None) -> Generator[None]:
        patience = _PATIENCE if patience is None else patience
        self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with _locked(self.path.with_suffix(".lock"), kind, patience):
            yield

    def _prune(self) -> None:
        """Remove databases of workspaces that have long not been searched, unless in use."""
        files = [(one.stat().st_mtime, one) for one in self.path.parent.glob("*.db")]
        oldest = time.time() - _DAYS * _DAY
        for place, (used, path) in enumerate(sorted(files, reverse=True)):
            if path != self.path and (place >= MOST or used < oldest):
                try:
                    with _locked(path.with_suffix(".lock"), fcntl.LOCK_EX, 0):
                        _remove(path)
                except TimeoutError:
                    continue


def _is_damage(error: sqlite3.DatabaseError) -> bool:
    code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_CORRUPT)
    return (code & 0xFF) not in _NOT_DAMAGE


def _connect(path: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(path, timeout=_PATIENCE, isolation_level=None)
    try:
        connection.execute("PRAGMA trusted_schema = OFF")
        connection.execute("PRAGMA cell_size_check = ON")
        connection.execute("PRAGMA journal_mode = WAL").fetchone()
        connection.execute("PRAGMA synchronous = NORMAL")
        connection.execute("PRAGMA journal_size_limit = 16777216")
    except BaseException:
        connection.close()
        raise
    return connection


def _remove(path: Path) -> None:
    for end in ("", "-wal", "-shm"):
        path.with_name(path.name + end).unlink(missing_ok=True)


@contextmanager
def _locked(path: Path, kind: int, patience: float) -> Generator[None]:
    """Hold the lock; TimeoutError, which is an OSError, if others keep it."""
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
    deadline = time.monotonic() + patience
    try:
        while not _try(descriptor, kind):
            if time.monotonic() >= deadline:
                raise TimeoutError("another session keeps it locked: try again later")
            time.sleep(_PAUSE)
        yield
    finally:
        os.close(descriptor)


def _try(descriptor: int, kind: int) -> bool:
    try:
        fcntl.flock(descriptor, kind | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True

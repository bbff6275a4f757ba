"""The store as one SQLite file: private, shared by the workers of this machine.

All work is done by one thread. What a kill interrupts, SQLite's journal (WAL) undoes.
"""

import asyncio
import contextlib
import os
import sqlite3
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from typing import TypeVar

import msgspec

from agent_cli.proxy import sqlite_book
from agent_cli.proxy.config import Continuity
from agent_cli.proxy.envelopes import ProxyError
from agent_cli.proxy.spending import Account, Line, Spent
from agent_cli.proxy.store import CHECK, LASTING, Row, Segment, Wanted, row_of
from agent_cli.types.errors import ConfigurationError

T = TypeVar("T")

_SCHEMA = """
CREATE TABLE IF NOT EXISTS records (
  kind TEXT, principal TEXT, key TEXT, body BLOB, created REAL, PRIMARY KEY (kind, principal, key)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS segments (
  id TEXT PRIMARY KEY, principal TEXT, conversation TEXT, body BLOB, bytes INTEGER, created REAL,
  used REAL
);
CREATE TABLE IF NOT EXISTS anchors (
  anchor TEXT, principal TEXT, segment TEXT REFERENCES segments (id) ON DELETE CASCADE,
  PRIMARY KEY (anchor, principal, segment)
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS by_use_and_size ON segments (used, bytes);
DROP INDEX IF EXISTS by_use;
CREATE INDEX IF NOT EXISTS by_conversation ON segments (principal, conversation);
CREATE INDEX IF NOT EXISTS by_age ON records (created);
"""
_BEAT = 1.0
"""Seconds between two signs of life."""
_DEAD = 4.0
"""Seconds without a sign of life after which a process counts as gone."""
_PATIENCE = 30.0
_SEGMENT = msgspec.json.Decoder(Segment)
_INSTANCE = "instance"


class SqliteStore:
    """See `Store`."""

    def __init__(self, path: Path, settings: Continuity, owner: str) -> None:
        self._settings = settings
        self._owner = owner
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="continuity")
        self._database = opened(path)
        self._reading = opened(path)
        self._beating = asyncio.create_task(self._beat())

    async def get(self, kind: str, principal: str, key: str, age: float) -> bytes | None:
        return (await self.get_each(principal, [(kind, key, age)]))[0]

    async def get_each(self, principal: str, wanted: Sequence[Wanted]) -> list[bytes | None]:
        # Here, and not in the thread: it takes less time than a change of threads, waits for no
        # writer, and is on the way to every first word.
        now = time.time()
        try:
            found = [
                self._reading.execute(_GET, (kind, principal, key, now - age)).fetchone()
                for kind, key, age in wanted
            ]
        except sqlite3.Error as error:
            raise _unavailable() from error
        return [row[0] if row else None for row in found]

    async def put(self, kind: str, principal: str, key: str, body: bytes) -> None:
        values = (kind, principal, key, body, time.time())
        await self._do(lambda database: _run(database, _PUT, values))

    async def add(self, kind: str, principal: str, key: str, body: bytes, age: float) -> bool:
        def work(database: sqlite3.Connection) -> bool:
            now = time.time()
            database.execute(
                "DELETE FROM records WHERE kind=? AND principal=? AND key=? AND created<=?",
                (kind, principal, key, now - age),
            )
            done = database.execute(
                "INSERT OR IGNORE INTO records VALUES (?,?,?,?,?)",
                (kind, principal, key, body, now),
            )
            return done.rowcount == 1

        return await self._do(work)

    async def remember(self, segment: Segment) -> bool:
        body = msgspec.json.encode(segment)
        if len(body) > self._settings.max_segment:
            return False
        await self._do(lambda database: self._remember(database, segment, body))
        return True

    async def find(self, principal: str, anchors: Sequence[str]) -> list[Segment]:
        if not anchors:
            return []

        def work(database: sqlite3.Connection) -> list[Segment]:
            rows = {
                row[0]: row
                for anchor in anchors  # one by one: a statement takes only so many values
                for row in database.execute(_FIND, (principal, anchor))
            }
            now = time.time()
            database.executemany(
                "UPDATE segments SET used=? WHERE id=?", [(now, id_) for id_ in rows]
            )
            oldest_first = sorted(rows.values(), key=lambda row: row[2])
            return [_SEGMENT.decode(body) for _, body, _ in oldest_first]

        return await self._do(work)

    async def foreign(self, principal: str, anchors: Sequence[str]) -> bool:
        def work(database: sqlite3.Connection) -> bool:
            asked = (database.execute(_FOREIGN, (principal, anchor)) for anchor in anchors)
            return any(found.fetchone() for found in asked)

        return await self._do(work)

    async def spend(self, spent: Spent) -> None:
        await self._do(lambda database: sqlite_book.spend(database, spent))

    async def account(self, principal: str, since: str) -> Account:
        return await self._do(lambda database: sqlite_book.account(database, principal, since))

    async def alive(self, owner: str) -> bool:
        return await self.get(_INSTANCE, "", owner, _DEAD) is not None

    async def close(self) -> None:
        self._beating.cancel()
        await asyncio.wait({self._beating})
        await self._do(
            lambda database: _run(
                database, "DELETE FROM records WHERE kind=? AND key=?", (_INSTANCE, self._owner)
            )
        )
        await asyncio.to_thread(self._thread.shutdown)
        self._reading.close()
        self._database.close()

    async def _beat(self) -> None:
        while True:
            with contextlib.suppress(ProxyError):  # the file may be there again the next time
                await self.put(_INSTANCE, "", self._owner, b"")
            await asyncio.sleep(_BEAT)

    async def _do(self, work: Callable[[sqlite3.Connection], T]) -> T:
        def whole() -> T:
            with self._database:
                return work(self._database)

        try:
            return await asyncio.get_running_loop().run_in_executor(self._thread, whole)
        except sqlite3.Error as error:
            raise _unavailable() from error

    def _remember(self, database: sqlite3.Connection, segment: Segment, body: bytes) -> None:
        now = time.time()
        database.execute(
            "INSERT INTO segments VALUES (?,?,?,?,?,?,?) ON CONFLICT (id) DO UPDATE SET "
            "body=excluded.body, bytes=excluded.bytes, used=excluded.used",
            (segment.id, segment.principal, segment.conversation, body, len(body), now, now),
        )
        database.executemany(
            "INSERT OR IGNORE INTO anchors VALUES (?,?,?)",
            [(anchor, segment.principal, segment.id) for anchor in segment.anchors],
        )
        _forget(database, self._settings, now)
        if segment.conversation:
            database.execute(
                "DELETE FROM segments WHERE id IN (SELECT id FROM segments WHERE principal=? AND "
                "conversation=? ORDER BY created DESC LIMIT -1 OFFSET ?)",
                (segment.principal, segment.conversation, self._settings.max_per_conversation),
            )


def _unavailable() -> ProxyError:
    return ProxyError(503, "store_unavailable", "what is to be remembered cannot be kept")


_GET = "SELECT body FROM records WHERE kind=? AND principal=? AND key=? AND created>?"
_FIND = """
SELECT s.id, s.body, s.created FROM anchors a JOIN segments s ON s.id = a.segment
WHERE a.principal=? AND a.anchor=?
"""
_FOREIGN = "SELECT 1 FROM anchors WHERE principal<>? AND anchor=? LIMIT 1"
_KEPT = ", ".join("?" * (1 + len(LASTING)))
_PUT = "INSERT OR REPLACE INTO records VALUES (?,?,?,?,?)"


def opened(path: Path) -> sqlite3.Connection:
    """Open the file, readable by nobody else. Raises ConfigurationError."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        os.close(os.open(path, os.O_RDWR | os.O_CREAT, 0o600))
        database = sqlite3.connect(path, timeout=_PATIENCE, check_same_thread=False)
        database.execute("PRAGMA journal_mode=WAL")
        database.execute("PRAGMA synchronous=NORMAL")
        database.execute("PRAGMA foreign_keys=ON")
        database.executescript(_SCHEMA + sqlite_book.SCHEMA)
    except (OSError, sqlite3.Error) as error:
        raise ConfigurationError(
            f"continuity.path {str(path)!r} cannot be used: {error}"
        ) from error
    return database


def rows(path: Path) -> list[Row]:
    """Return what is remembered, the newest first."""
    with closing(opened(path)) as database:
        found = database.execute(
            "SELECT body, bytes, created, used FROM segments ORDER BY created DESC"
        ).fetchall()
    return [row_of(_SEGMENT.decode(body), *numbers) for body, *numbers in found]


def shown(path: Path, id_: str) -> Segment | None:
    with closing(opened(path)) as database:
        row = database.execute("SELECT body FROM segments WHERE id=?", (id_,)).fetchone()
    return _SEGMENT.decode(row[0]) if row else None


def spent(path: Path, since: str, principal: str) -> list[Line]:
    with closing(opened(path)) as database:
        return sqlite_book.lines(database, since, principal)


def purged(path: Path, principal: str = "", conversation: str = "") -> int:
    """Forget all, or what is somebody's, or one conversation's; return how many segments."""
    with closing(opened(path)) as database, database:
        done = database.execute(
            "DELETE FROM segments WHERE (?='' OR principal=?) AND (?='' OR conversation=?)",
            (principal, principal, conversation, conversation),
        )
        if not conversation:
            database.execute(
                "DELETE FROM records WHERE kind<>? AND (?='' OR principal=?)",
                (_INSTANCE, principal, principal),
            )
        return done.rowcount


def _run(database: sqlite3.Connection, statement: str, values: tuple[object, ...]) -> None:
    database.execute(statement, values)


def _forget(database: sqlite3.Connection, settings: Continuity, now: float) -> None:
    """Drop what is too old, and of the rest what was used longest ago, if there is too much."""
    database.execute("DELETE FROM segments WHERE used<?", (now - settings.lasts,))
    oldest = max(settings.journal_ttl, settings.guidance_ttl, _DEAD)
    database.execute(
        f"DELETE FROM records WHERE kind NOT IN ({_KEPT}) AND created<?",  # noqa: S608 - no values
        (CHECK, *LASTING, now - oldest),
    )
    database.executemany(
        "DELETE FROM records WHERE kind=? AND created<?",
        [(kind, now - settings.lasts) for kind in LASTING],
    )
    (total,) = database.execute("SELECT COALESCE(SUM(bytes), 0) FROM segments").fetchone()
    while total > settings.max_bytes:
        row = database.execute("SELECT id, bytes FROM segments ORDER BY used LIMIT 1").fetchone()
        database.execute("DELETE FROM segments WHERE id=?", (row[0],))
        total -= row[1]

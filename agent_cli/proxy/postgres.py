"""The store as a Postgres database, shared by the replicas of several machines.

Its clock is the only one: machines may differ in theirs. The driver is the extra `[postgres]`.
"""

import asyncio
import hashlib
from collections.abc import AsyncGenerator, Generator, Sequence
from contextlib import asynccontextmanager, contextmanager
from typing import Any, LiteralString

import msgspec
import psycopg
from psycopg_pool import AsyncConnectionPool

from agent_cli.proxy import postgres_book
from agent_cli.proxy.config import Continuity
from agent_cli.proxy.envelopes import ProxyError
from agent_cli.proxy.postgres_tables import ALONE, LOCK, SCHEMA, unusable
from agent_cli.proxy.postgres_tidy import DEAD, tidy
from agent_cli.proxy.spending import Account, Line, Spent
from agent_cli.proxy.store import Row, Segment, Wanted, row_of
from agent_cli.types.errors import ConfigurationError

_BEAT = 1.0
"""Seconds between two signs of life."""
_TIDY = 30
"""Beats between two times that what is too old or too much is dropped."""
_FRESH = 60.0
"""Seconds for which one note that a segment was used is enough: notes are writes."""
_CONNECTIONS = 8
_PATIENCE = 10.0
_LONGEST = 200
"""Characters of an indexed text; an index has no room for arbitrary ones."""
INSTANCE = "instance"
_SEGMENTS: LiteralString = "SELECT body, bytes, created, used FROM proxy_segments"
_SEGMENT = msgspec.json.Decoder(Segment)
_Pool = AsyncConnectionPool[psycopg.AsyncConnection[tuple[object, ...]]]


class PostgresStore:
    """See `Store`. Made by `postgres_store`."""

    def __init__(self, pool: _Pool, settings: Continuity, owner: str) -> None:
        self._pool = pool
        self._settings = settings
        self._owner = owner

    async def get(self, kind: str, principal: str, key: str, age: float) -> bytes | None:
        return (await self.get_each(principal, [(kind, key, age)]))[0]

    async def get_each(self, principal: str, wanted: Sequence[Wanted]) -> list[bytes | None]:
        found = await self._all(
            "SELECT r.body FROM unnest(%s::text[], %s::text[], %s::float8[]) WITH ORDINALITY "
            "AS wanted (kind, key, age, place) LEFT JOIN proxy_records r ON r.kind = wanted.kind "
            "AND r.principal = %s AND r.key = wanted.key AND r.created > proxy_now() - wanted.age "
            "ORDER BY wanted.place",
            (
                [kind for kind, _, _ in wanted],
                [indexed(key) for _, key, _ in wanted],
                [age for _, _, age in wanted],
                indexed(principal),
            ),
        )
        return [None if body is None else _bytes(body) for (body,) in found]

    async def put(self, kind: str, principal: str, key: str, body: bytes) -> None:
        await self._run(
            "INSERT INTO proxy_records VALUES (%s,%s,%s,%s,proxy_now()) ON CONFLICT "
            "(kind, principal, key) DO UPDATE SET body=excluded.body, created=excluded.created",
            (kind, indexed(principal), indexed(key), body),
        )

    async def add(self, kind: str, principal: str, key: str, body: bytes, age: float) -> bool:
        put = await self._run(
            "INSERT INTO proxy_records VALUES (%s,%s,%s,%s,proxy_now()) ON CONFLICT "
            "(kind, principal, key) DO UPDATE SET body=excluded.body, created=excluded.created "
            "WHERE proxy_records.created <= excluded.created - %s",
            (kind, indexed(principal), indexed(key), body, age),
        )
        return put == 1

    async def remember(self, segment: Segment) -> bool:
        body = msgspec.json.encode(segment)
        if len(body) > self._settings.max_segment:
            return False
        principal, conversation = indexed(segment.principal), indexed(segment.conversation)
        async with _told(), self._pool.connection() as database, database.transaction():
            await database.execute(
                "INSERT INTO proxy_segments VALUES (%s,%s,%s,%s,%s,proxy_now(),proxy_now()) "
                "ON CONFLICT (id) DO UPDATE SET body=excluded.body, bytes=excluded.bytes, "
                "used=excluded.used",
                (segment.id, principal, conversation, body, len(body)),
            )
            async with database.cursor() as cursor:
                await cursor.executemany(
                    "INSERT INTO proxy_anchors VALUES (%s,%s,%s) ON CONFLICT DO NOTHING",
                    [(indexed(anchor), principal, segment.id) for anchor in segment.anchors],
                )
            if conversation:
                await database.execute(
                    "DELETE FROM proxy_segments WHERE id IN (SELECT id FROM proxy_segments WHERE "
                    "principal=%s AND conversation=%s ORDER BY created DESC OFFSET %s)",
                    (principal, conversation, self._settings.max_per_conversation),
                )
        return True

    async def find(self, principal: str, anchors: Sequence[str]) -> list[Segment]:
        if not anchors:
            return []
        found = await self._all(
            "SELECT id, body, used < proxy_now() - %s FROM proxy_segments WHERE id IN "
            "(SELECT segment FROM proxy_anchors WHERE principal=%s AND anchor = ANY(%s)) "
            "ORDER BY created, id",
            (_FRESH, indexed(principal), [indexed(one) for one in anchors]),
        )
        noted = [row[0] for row in found if row[2]]
        if noted:
            await self._run(
                "UPDATE proxy_segments SET used=proxy_now() WHERE id = ANY(%s)", (noted,)
            )
        return [_SEGMENT.decode(_bytes(row[1])) for row in found]

    async def foreign(self, principal: str, anchors: Sequence[str]) -> bool:
        found = await self._all(
            "SELECT 1 FROM proxy_anchors WHERE principal<>%s AND anchor = ANY(%s) LIMIT 1",
            (indexed(principal), [indexed(one) for one in anchors]),
        )
        return bool(found)

    async def spend(self, spent: Spent) -> None:
        written = [indexed(one) if isinstance(one, str) else one for one in spent.columns]
        await self._run(postgres_book.SPEND, written)

    async def account(self, principal: str, since: str) -> Account:
        ((usd, tokens),) = await self._all(postgres_book.ACCOUNT, (indexed(principal), since))
        return Account(float(str(usd)), int(str(tokens)))

    async def alive(self, owner: str) -> bool:
        return await self.get(INSTANCE, "", owner, DEAD) is not None

    async def close(self) -> None:
        """Say that this replica is gone; `postgres_store` closes what is open."""
        await self._run(
            "DELETE FROM proxy_records WHERE kind=%s AND key=%s", (INSTANCE, self._owner)
        )

    async def forget(self) -> None:
        """Drop what is too old, and what is too much."""
        async with _told(), self._pool.connection() as database, database.transaction():
            await tidy(database, self._settings)

    async def beat(self) -> None:
        """Give the first sign of life."""
        await self.put(INSTANCE, "", self._owner, b"")

    async def go_on_beating(self) -> None:
        """Give signs of life, also again after the database was away."""
        beats = 0
        while True:
            await asyncio.sleep(_BEAT)
            beats += 1
            try:
                await self.beat()
                if beats % _TIDY == 0:
                    await self.forget()
            except ProxyError:
                continue

    async def _run(self, statement: LiteralString, values: Sequence[object]) -> int:
        async with _told(), self._pool.connection() as database:
            return (await database.execute(statement, values)).rowcount

    async def _all(
        self, statement: LiteralString, values: Sequence[object]
    ) -> list[tuple[object, ...]]:
        async with _told(), self._pool.connection() as database:
            return await (await database.execute(statement, values)).fetchall()


@asynccontextmanager
async def postgres_store(
    url: str, settings: Continuity, owner: str
) -> AsyncGenerator[PostgresStore]:
    """Connect, make the tables if there are none. Raises ConfigurationError."""
    # Statements are not prepared, so that a pooler may stand in between.
    options = {"autocommit": True, "prepare_threshold": None}
    pool: _Pool = AsyncConnectionPool(
        url, kwargs=options, min_size=1, max_size=_CONNECTIONS, timeout=_PATIENCE, open=False
    )
    try:
        # The pool itself would try again and again, and not say why.
        database = await psycopg.AsyncConnection.connect(url, connect_timeout=int(_PATIENCE))
        async with database, database.transaction():
            await database.execute(ALONE, (LOCK,))
            await database.execute(SCHEMA + postgres_book.SCHEMA)
    except psycopg.Error as error:
        raise ConfigurationError(unusable(error)) from error
    async with pool:
        store = PostgresStore(pool, settings, owner)
        await store.beat()
        beating = asyncio.create_task(store.go_on_beating())
        try:
            yield store
        finally:
            beating.cancel()
            await asyncio.wait({beating})
            await store.close()


@asynccontextmanager
async def _told() -> AsyncGenerator[None]:
    """Say what goes wrong with the database as clients may read it."""
    try:
        yield
    except psycopg.Error as error:
        raise ProxyError(
            503, "store_unavailable", "what is to be remembered cannot be kept"
        ) from error


def indexed(text: str) -> str:
    """Return what stands for the text in an index: itself, unless it does not fit there."""
    if len(text) <= _LONGEST and "\0" not in text:
        return text
    return "sha256:" + hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def _bytes(value: object) -> bytes:
    assert isinstance(value, bytes)
    return value


def rows(url: str) -> list[Row]:
    """Return what is remembered, the newest first."""
    with _looked_into(url) as database:
        found = database.execute(_SEGMENTS + " ORDER BY created DESC").fetchall()
    return [row_of(_SEGMENT.decode(body), *numbers) for body, *numbers in found]


def spent(url: str, since: str, principal: str) -> list[Line]:
    with _looked_into(url) as database:
        found = database.execute(postgres_book.LINES, (since, principal, principal)).fetchall()
    return postgres_book.lines(found)


def shown(url: str, id_: str) -> Segment | None:
    with _looked_into(url) as database:
        row = database.execute(_SEGMENTS + " WHERE id=%s", (indexed(id_),)).fetchone()
    return _SEGMENT.decode(row[0]) if row else None


def purged(url: str, principal: str = "", conversation: str = "") -> int:
    """Forget all, or what is somebody's, or one conversation's; return how many segments."""
    whose, which = indexed(principal), indexed(conversation)
    with _looked_into(url) as database:
        done = database.execute(
            "DELETE FROM proxy_segments WHERE %s IN ('', principal) AND %s IN ('', conversation)",
            (whose, which),
        )
        if not conversation:
            database.execute(
                "DELETE FROM proxy_records WHERE kind<>%s AND %s IN ('', principal)",
                (INSTANCE, whose),
            )
        return done.rowcount


@contextmanager
def _looked_into(url: str) -> Generator[psycopg.Connection[tuple[Any, ...]]]:
    """Connect to a database with the tables. Raises ConfigurationError."""
    try:
        with psycopg.connect(url, connect_timeout=int(_PATIENCE)) as database:
            database.execute(ALONE, (LOCK,))
            database.execute(SCHEMA + postgres_book.SCHEMA)
            yield database
    except psycopg.Error as error:
        raise ConfigurationError(unusable(error)) from error

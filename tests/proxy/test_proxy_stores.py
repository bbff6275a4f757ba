"""What both stores promise: the file, and the database that replicas share."""

import asyncio
import contextlib
import sqlite3
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any

import msgspec
import psycopg
import pytest
from msgspec import Raw
from msgspec.structs import replace
from testbed.postgres import needs_postgres

from agent_cli.proxy import kept, sqlite
from agent_cli.proxy.config import Config, Continuity
from agent_cli.proxy.envelopes import ProxyError
from agent_cli.proxy.kept import remembering
from agent_cli.proxy.postgres import postgres_store
from agent_cli.proxy.spending import Account, Spent
from agent_cli.proxy.store import Segment, Store

VARIABLE = "CONTINUITY_URL"
FOREVER = float("inf")
Opened = Callable[..., Any]


def segment(id_: str, principal: str = "alice", conversation: str = "talk", **more: Any) -> Segment:
    made = Segment(
        id=id_,
        principal=principal,
        dialect="openai_chat",
        conversation=conversation,
        anchors=("call:1",),
        calls="c",
        prefix="p",
        previous="q",
        full=(Raw(b'{"role":"assistant"}'),),
    )
    return replace(made, **more)


class Place:
    """A file or a database, which several replicas open."""

    def __init__(self, path: Path, url: str) -> None:
        self.environ = {VARIABLE: url} if url else {}
        self._continuity = Continuity(path=str(path), postgres_env=VARIABLE if url else "")

    def config(self, **settings: Any) -> Config:
        return Config(continuity=replace(self._continuity, **settings))

    @asynccontextmanager
    async def opened(self, owner: str = "one", **settings: Any) -> AsyncGenerator[Store]:
        async with remembering(self.config(**settings), self.environ, owner) as store:
            yield store

    def run(self, work: Callable[[Store], Awaitable[Any]], **settings: Any) -> Any:
        async def whole() -> Any:
            async with self.opened(**settings) as store:
                return await work(store)

        return asyncio.run(whole())


@pytest.fixture(params=["file", pytest.param("database", marks=needs_postgres)])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Place:
    url = request.getfixturevalue("database") if request.param == "database" else ""
    return Place(tmp_path / "continuity.db", url)


def test_what_is_put_is_there_for_the_next_process(place: Place):
    place.run(lambda store: store.put("checkpoint", "alice", "k", b"\0one"))
    assert place.run(lambda store: store.get("checkpoint", "alice", "k", FOREVER)) == b"\0one"
    assert place.run(lambda store: store.get("checkpoint", "bob", "k", FOREVER)) is None
    assert place.run(lambda store: store.get("checkpoint", "alice", "k", 0)) is None


def test_what_is_put_again_is_the_last(place: Place):
    async def work(store: Store) -> bytes | None:
        await store.put("checkpoint", "alice", "k", b"one")
        await store.put("checkpoint", "alice", "k", b"two")
        return await store.get("checkpoint", "alice", "k", FOREVER)

    assert place.run(work) == b"two"


def test_of_many_replicas_that_begin_the_same_call_one_does(place: Place):
    async def whole() -> list[bool]:
        async with AsyncExitStack() as stack:
            opened = [
                await stack.enter_async_context(place.opened(f"replica {number}"))
                for number in range(3)
            ]
            tries = [
                store.add("journal", "alice", "k", f"{number}".encode(), 600)
                for store in opened
                for number in range(10)
            ]
            return await asyncio.gather(*tries)

    assert sorted(asyncio.run(whole()))[-2:] == [False, True]


def test_a_call_may_begin_again_when_the_first_is_old(place: Place):
    async def work(store: Store) -> tuple[bool, bool, bytes | None]:
        first = await store.add("journal", "alice", "k", b"one", 600)
        second = await store.add("journal", "alice", "k", b"two", 0)
        return first, second, await store.get("journal", "alice", "k", FOREVER)

    assert place.run(work) == (True, True, b"two")


def test_a_segment_is_found_by_its_anchors_and_by_its_owner_alone(place: Place):
    async def work(store: Store) -> Any:
        await store.remember(segment("a"))
        await store.remember(segment("b", principal="bob", anchors=("call:2", "text:x")))
        anchors = ["call:1", "call:2"]
        found = [one.id for one in await store.find("alice", anchors)]
        again = [one.id for one in await store.find("alice", anchors)]
        foreign = await store.foreign("alice", ["text:x"])
        return found, again, foreign, await store.foreign("bob", ["text:x"])

    assert place.run(work) == (["a"], ["a"], True, False)
    assert place.run(lambda store: store.find("alice", [])) == []


def test_a_segment_comes_back_as_it_was(place: Place):
    one = segment("a", tools=("docs_search",), order=("1", "2"), created=12.5)
    place.run(lambda store: store.remember(one))
    (found,) = place.run(lambda store: store.find("alice", ["call:1"]))
    assert [bytes(raw) for raw in found.full] == [b'{"role":"assistant"}']
    assert replace(found, full=one.full) == one


def test_any_number_of_anchors_is_looked_for_at_once(place: Place):
    many = [f"call:{number}" for number in range(40_000)]

    async def work(store: Store) -> Any:
        await store.remember(segment("a"))
        await store.remember(segment("b", anchors=("call:39999",)))
        found = [one.id for one in await store.find("alice", many)]
        return found, await store.foreign("alice", many), await store.foreign("bob", many)

    assert place.run(work) == (["a", "b"], False, True)


def test_all_that_is_known_is_asked_for_at_once(place: Place):
    async def work(store: Store) -> list[bytes | None]:
        await store.put("journal", "alice", "k", b"one")
        await store.put("response", "alice", "k", b"two")
        keys = [("response", "k", FOREVER), ("journal", "other", FOREVER), ("journal", "k", 60.0)]
        return await store.get_each("alice", keys)

    assert place.run(work) == [b"two", None, b"one"]


@pytest.mark.parametrize("odd", ["x" * 5_000, "nul\0nul", "ä" * 300], ids=["long", "nul", "wide"])
def test_any_text_can_be_a_key(odd: str, place: Place):
    async def work(store: Store) -> Any:
        await store.put("response", odd, odd, b"one")
        await store.remember(segment("a", principal=odd, conversation=odd, anchors=(odd,)))
        found = [one.id for one in await store.find(odd, [odd])]
        return found, await store.get("response", odd, odd, FOREVER)

    assert place.run(work) == (["a"], b"one")


@pytest.mark.parametrize("odd", ["x" * 5_000, "nul\0nul"], ids=["long", "nul"])
def test_no_text_of_a_client_keeps_a_call_out_of_the_book(odd: str, place: Place):
    async def work(store: Store) -> Account:
        await store.spend(Spent("r", "alice", odd, 1, "upstream", odd, 200, odd, 100, 10))
        return await store.account("alice", "")

    assert place.run(work) == Account(0.0, 110)


def test_a_conversation_keeps_its_newest(place: Place):
    async def work(store: Store) -> list[str]:
        for id_ in "abcd":
            await store.remember(segment(id_))
        return [one.id for one in await store.find("alice", ["call:1"])]

    assert place.run(work, max_per_conversation=2) == ["c", "d"]


def test_a_segment_that_is_too_large_is_not_kept(place: Place):
    async def work(store: Store) -> list[Segment]:
        assert not await store.remember(segment("a", previous="x" * 2_000))
        return await store.find("alice", ["call:1"])

    assert place.run(work, max_segment=1_000) == []


def test_a_replica_is_alive_until_it_ends(place: Place):
    async def whole() -> tuple[bool, bool, bool]:
        async with place.opened("one") as store:
            async with place.opened("two") as other:
                await other.put("response", "a", "k", b"")
                lives = await store.alive("two")
            return lives, await store.alive("two"), await store.alive("never")

    assert asyncio.run(whole()) == (True, False, False)


def test_what_is_kept_can_be_looked_at_and_forgotten(place: Place):
    async def work(store: Store) -> None:
        await store.remember(segment("a", tools=("docs_search",)))
        await store.remember(segment("b", principal="bob"))
        await store.put("checkpoint", "alice", "k", b"one")

    place.run(work)
    about = (place.config(), place.environ)
    assert [(row.id, row.principal) for row in kept.rows(*about)] == [("b", "bob"), ("a", "alice")]
    assert kept.rows(*about)[1].tools == ("docs_search",)
    found = kept.shown(*about, "a")
    assert found is not None
    assert found.id == "a"
    assert kept.shown(*about, "nobody's") is None
    assert kept.purged(*about, conversation="other") == 0
    assert kept.purged(*about, principal="alice") == 1
    assert place.run(lambda store: store.get("checkpoint", "alice", "k", FOREVER)) is None
    assert [row.id for row in kept.rows(*about)] == ["b"]
    assert kept.purged(*about) == 1


def test_a_segment_that_is_made_shorter_stays_as_old_as_it_is(place: Place):
    async def work(store: Store) -> list[str]:
        for id_ in ("a", "b", "a"):
            await store.remember(segment(id_))
        return [one.id for one in await store.find("alice", ["call:1"])]

    assert place.run(work) == ["a", "b"]


def test_a_file_that_was_away_hears_signs_of_life_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(sqlite, "_BEAT", 0.0)
    place = Place(tmp_path / "continuity.db", "")
    with contextlib.closing(sqlite3.connect(tmp_path / "continuity.db", timeout=30)) as other:

        async def work(store: Store) -> None:
            other.execute("ALTER TABLE records RENAME TO away")
            for _ in range(3):  # one of them comes after a sign of life that fails as well
                with pytest.raises(ProxyError):
                    await store.put("checkpoint", "alice", "k", b"one")
            other.execute("ALTER TABLE away RENAME TO records")
            other.execute("DELETE FROM records")
            other.commit()
            async with asyncio.timeout(30):
                while not await store.alive("one"):
                    await store.put("checkpoint", "alice", "k", b"two")

        place.run(work)


def test_the_file_forgets_who_was_killed(tmp_path: Path):
    place = Place(tmp_path / "continuity.db", "")

    async def work(store: Store) -> bytes | None:
        await store.put("instance", "", "killed", b"")
        with contextlib.closing(sqlite3.connect(tmp_path / "continuity.db", timeout=30)) as other:
            other.execute("UPDATE records SET created = created - 3600 WHERE key = 'killed'")
            other.commit()
        await store.remember(segment("a"))
        return await store.get("instance", "", "killed", FOREVER)

    assert place.run(work) is None


@needs_postgres
def test_the_database_keeps_no_more_and_no_longer_than_it_may(database: str):
    settings = Continuity(max_bytes=500, journal_ttl=10, guidance_ttl=10)

    async def whole() -> list[str]:
        async with postgres_store(database, settings, "one") as store:
            for id_ in ("unused", "old", "newer", "newest"):
                await store.remember(segment(id_, conversation=""))
            await store.put("journal", "alice", "k", b"old")
            with psycopg.connect(database) as connection:
                week = "UPDATE proxy_segments SET used = used - 700000 WHERE id = 'unused'"
                hour = "UPDATE proxy_segments SET used = used - 3600 WHERE id = 'old'"
                for statement in (week, hour, "UPDATE proxy_records SET created = created - 60"):
                    connection.execute(statement)
            await store.forget()
            assert await store.get("journal", "alice", "k", FOREVER) is None
            return [one.id for one in await store.find("alice", ["call:1"])]

    assert len(msgspec.json.encode(segment("old"))) * 3 > settings.max_bytes
    assert asyncio.run(whole()) == ["newer", "newest"]

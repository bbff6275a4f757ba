"""The database: private, shared, killed, damaged, pruned."""

import asyncio
import fcntl
import os
import random
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from agent_cli.index import database
from agent_cli.index.database import Database
from agent_cli.index.question import Question
from agent_cli.index.search import Index
from agent_cli.index.store import Read, Store
from agent_cli.types.errors import ToolError
from agent_cli.workspace.gate import Workspace

CHILD = """
import asyncio, sys
from contextlib import suppress
from pathlib import Path
from agent_cli.index.question import Question
from agent_cli.index.search import Index
from agent_cli.workspace.gate import Workspace
print("ready", flush=True)
found = asyncio.run(
    Index(Path(sys.argv[1])).search(Question("water"), Workspace(Path(sys.argv[2])), print)
)
print(found.files, len(found.hits), flush=True)
"""


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = (tmp_path / "root").resolve()
    root.mkdir()
    for number in range(200):
        (root / f"{number}.py").write_text(f"def water{number}():\n    return {number}\n\n" * 5)
    (root / "fish.txt").write_text("fish swim in water\n")
    return root


@pytest.fixture
def cache(tmp_path: Path) -> Path:
    return tmp_path / "cache" / "index"


def found(root: Path, cache: Path) -> list[str]:
    found = asyncio.run(Index(cache).search(Question("water"), Workspace(root), print))
    assert found.files == 201
    return [hit.path for hit in found.hits]


def child(root: Path, cache: Path) -> subprocess.Popen[str]:
    argv = [sys.executable, "-c", CHILD, str(cache), str(root)]
    return subprocess.Popen(argv, stdout=subprocess.PIPE, text=True)


def the_database(cache: Path) -> Path:
    (path,) = cache.glob("*.db")
    return path


def test_nobody_else_can_read_it(root: Path, cache: Path):
    before = os.umask(0)
    try:
        found(root, cache)
    finally:
        os.umask(before)
    assert cache.stat().st_mode & 0o777 == 0o700
    assert {path.stat().st_mode & 0o777 for path in cache.iterdir()} == {0o600}


def test_nothing_is_made_before_the_first_search(cache: Path):
    Index(cache)
    assert not cache.exists()


DAMAGE = {
    "no database": lambda data: b"nothing of the kind" * 400,
    "cut off": lambda data: data[: len(data) // 2],
    "empty": lambda data: b"",
    "zeroes within": lambda data: data[:4096] + bytes(len(data) - 8192) + data[-4096:],
    "the first page": lambda data: bytes(100) + data[100:],
}


@pytest.mark.parametrize("damage", DAMAGE.values(), ids=DAMAGE)
def test_a_damaged_index_is_made_anew(root: Path, cache: Path, damage: object):
    whole = found(root, cache)
    path = the_database(cache)
    path.write_bytes(damage(path.read_bytes()))  # type: ignore[operator]
    assert found(root, cache) == whole


def test_a_table_that_is_missing_something_is_made_anew(root: Path, cache: Path):
    whole = found(root, cache)
    connection = sqlite3.connect(the_database(cache))
    connection.execute("DROP TABLE files")
    connection.execute("CREATE TABLE files(other)")
    connection.close()
    assert found(root, cache) == whole


def test_a_killed_session_leaves_a_usable_index(root: Path, cache: Path):
    whole = sorted(found(root, cache.parent / "other"))
    chance = random.Random(7)
    for _ in range(5):
        process = child(root, cache)
        assert process.stdout
        process.stdout.readline()
        with suppress(subprocess.TimeoutExpired):
            process.wait(chance.uniform(0, 0.3))  # the kill is to land anywhere
        process.kill()
        process.wait()
        process.stdout.close()
    assert sorted(found(root, cache)) == whole
    connection = sqlite3.connect(the_database(cache))
    assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    connection.execute("INSERT INTO texts(texts) VALUES ('integrity-check')")
    connection.close()


def test_sessions_at_the_same_time_share_it(root: Path, cache: Path):
    processes = [child(root, cache) for _ in range(3)]
    said = {process.communicate()[0] for process in processes}
    assert said == {"ready\n201 1\n"}
    connection = sqlite3.connect(the_database(cache))
    assert connection.execute("SELECT count(*) FROM files").fetchone() == (201,)
    assert (
        connection.execute("SELECT count(*) FROM chunks").fetchone()
        == connection.execute("SELECT count(*) FROM texts").fetchone()
    )
    connection.close()


def test_a_damaged_index_that_others_use_is_left_alone(
    root: Path, cache: Path, monkeypatch: pytest.MonkeyPatch
):
    found(root, cache)
    path = the_database(cache)
    path.write_bytes(b"nothing of the kind" * 400)
    monkeypatch.setattr(database, "_PATIENCE", 0.05)
    with path.with_suffix(".lock").open() as lock:
        fcntl.flock(lock, fcntl.LOCK_SH)
        with pytest.raises(ToolError, match="another session keeps it locked"):
            found(root, cache)
    assert found(root, cache)


def test_a_link_in_its_place_is_not_followed(root: Path, cache: Path, tmp_path: Path):
    found(root, cache)
    path = the_database(cache)
    path.unlink()
    path.symlink_to(tmp_path / "precious")
    with pytest.raises(ToolError, match="not an index of ours"):
        found(root, cache)
    assert not (tmp_path / "precious").exists()


def test_a_folder_that_cannot_be_made_is_an_error(root: Path, tmp_path: Path):
    (tmp_path / "file").touch()
    with pytest.raises(ToolError, match="cannot be used"):
        found(root, tmp_path / "file" / "index")


def test_long_unused_indexes_are_removed_unless_in_use(root: Path, cache: Path):
    cache.mkdir(parents=True)
    for number in range(25):
        old = cache / f"{number}.db"
        old.touch()
        os.utime(old, (number + 1, number + 1))
    held = (cache / "3.lock").open("w")
    fcntl.flock(held, fcntl.LOCK_SH)
    found(root, cache)
    held.close()
    assert {path.name for path in cache.glob("*.db")} == {
        "3.db", Database(cache, str(root)).path.name,
    }  # fmt: skip


def test_a_fault_that_is_no_damage_removes_nothing(root: Path, cache: Path):
    found(root, cache)
    path = the_database(cache)
    before = path.stat().st_ino

    def full(store: object) -> None:
        error = sqlite3.OperationalError("database or disk is full")
        error.sqlite_errorcode = sqlite3.SQLITE_FULL
        raise error

    with pytest.raises(ToolError, match="disk is full"):
        Database(cache, str(root)).use(full)
    assert path.stat().st_ino == before


def test_what_fails_half_way_leaves_nothing(root: Path, cache: Path):
    found(root, cache)
    database = Database(cache, str(root))

    def count(store: Store) -> int:
        return len(store.known())

    def files() -> Iterator[Read]:
        yield Read("new.py", "", b"hash", 1)
        raise KeyError

    def fail(store: Store) -> None:
        with pytest.raises(KeyError):
            store.put(files())

    assert database.use(count) == 201
    database.use(fail)
    assert database.use(count) == 201

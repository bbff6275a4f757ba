"""The store: what is put in comes out, or nothing does; it has bounds, and says so."""

import stat
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from testbed.faults import CHANGING, ERRORS, Nth, failing, short, without_waiting

from agent_cli.undo.preimages import Folder, Memory, Store, digest, pool, prune, session_folder

STORES: dict[str, Callable[[Path, int], Store]] = {
    "memory": lambda path, most: Memory(most),
    "session": lambda path, most: Folder(path / "one", most),
    "pool": lambda path, most: Folder(path / "pool", most, spread=True),
}


@pytest.fixture(params=STORES.values(), ids=STORES)
def store(request: Any, tmp_path: Path) -> Store:
    return request.param(tmp_path, 10)


@pytest.mark.parametrize("data", [b"", b"x", b"\0\xff\n", b"0123456789"])
def test_what_is_put_in_comes_out(store: Store, data: bytes):
    assert store.put(data) == digest(data)
    assert store.put(data) == digest(data)
    assert store.get(digest(data)) == data


def test_what_has_no_room_is_not_kept(store: Store):
    assert store.put(b"12345678")
    assert store.put(b"abc") is None
    assert store.get(digest(b"abc")) is None
    assert store.put(b"ab")


@pytest.mark.parametrize("name", ["", "x", "../secret", "0" * 64, "/" * 64])
def test_what_is_no_hash_is_not_there(store: Store, name: str):
    assert store.get(name) is None


def test_a_content_that_was_tampered_with_is_not_given(tmp_path: Path):
    folder = Folder(tmp_path / "one", 100)
    content = folder.put(b"true")
    assert content is not None
    (tmp_path / "one" / content).write_bytes(b"false")
    assert folder.get(content) is None


def test_only_the_user_can_read_it(tmp_path: Path):
    content = session_folder(tmp_path / "undo", "s").put(b"x")
    folder = tmp_path / "undo/sessions/s"
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert stat.S_IMODE((folder / str(content)).stat().st_mode) == 0o600


def test_the_size_is_that_of_what_another_process_kept_too(tmp_path: Path):
    Folder(tmp_path, 10).put(b"12345")
    assert Folder(tmp_path, 10).size == 5
    assert Folder(tmp_path, 9).put(b"67890") is None


def test_a_content_is_taken_over_from_the_pool(tmp_path: Path):
    contents, own = pool(tmp_path), session_folder(tmp_path, "s")
    content = contents.put(b"x")
    assert content is not None
    assert own.adopt(content, contents)
    assert own.adopt(content, contents)
    assert own.get(content) == b"x"
    assert not own.adopt(digest(b"never"), contents)


def test_the_oldest_sessions_make_room(tmp_path: Path):
    for name in ("2024", "2025", "2026"):
        session_folder(tmp_path, name).put(name.encode() * 10)
    assert prune(tmp_path, "2024", 200) == ()
    assert prune(tmp_path, "2024", 80) == ("2025",)
    assert prune(tmp_path, "2024", 1) == ("2026",)
    assert session_folder(tmp_path, "2024").size == 40


def test_a_pool_that_is_nearly_full_begins_anew(tmp_path: Path):
    contents = Folder(tmp_path / "pool", 10, spread=True)
    contents.put(b"12345")
    contents.make_room()
    assert contents.size == 5
    contents.put(b"67890")
    contents.make_room()
    assert contents.size == 0
    assert contents.put(b"12345")


@pytest.mark.parametrize("code", ERRORS.values(), ids=ERRORS)
def test_a_content_that_cannot_be_written_leaves_nothing(
    tmp_path: Path, code: int, monkeypatch: pytest.MonkeyPatch
):
    without_waiting(monkeypatch)
    for number in range(1, 20):
        folder = Folder(tmp_path / str(number), 100)
        nth = Nth(number, failing(code), CHANGING)
        with nth():
            try:
                content = folder.put(b"content")
            except OSError:
                content = None
        if not nth.hit:
            assert content == digest(b"content")
            return
        if nth.hit != "unlink":
            assert [*tmp_path.rglob("*.tmp")] == []
        assert folder.get(digest(b"content")) in (None, b"content")
    raise AssertionError("it never ended")


def test_short_writes_are_gone_on_with(tmp_path: Path):
    folder = Folder(tmp_path, 100)
    with Nth(1, short, ("write",))():
        content = folder.put(b"content")
    assert content is not None
    assert folder.get(content) == b"content"

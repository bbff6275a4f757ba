"""The index over a real workspace: what it finds, and that it follows what happens to files."""

import asyncio
import os
import sqlite3
import threading
from pathlib import Path

import pytest

from agent_cli.index import refresh
from agent_cli.index.question import LIMIT, Found, Question
from agent_cli.index.search import Index
from agent_cli.types.errors import ToolError
from agent_cli.workspace.gate import Workspace


class Room:
    """A workspace and where its index is kept."""

    def __init__(self, place: Path) -> None:
        self.root = place / "root"
        self.cache = place / "cache" / "index"
        self.root.mkdir()
        self.told: list[str] = []

    def write(self, path: str, text: str) -> None:
        place = self.root / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text)

    def search(self, words: str, below: str = "", extra: tuple[Path, ...] = ()) -> Found:
        workspace = Workspace(self.root, extra)
        return asyncio.run(
            Index(self.cache).search(Question(words, below), workspace, self.told.append)
        )

    def paths(self, words: str, below: str = "") -> list[str]:
        return [hit.path for hit in self.search(words, below).hits]

    @property
    def database(self) -> Path:
        (found,) = self.cache.glob("*.db")
        return found


@pytest.fixture
def room(tmp_path: Path) -> Room:
    made = Room(tmp_path.resolve())
    made.write("src/bank.py", "def transferMoney(amount):\n    return ledger.book(amount)\n")
    made.write("src/fish.py", "def swim():\n    return 'water'\n")
    made.write("docs/bank.md", "# Accounts\n\nMoney is transferred by night.\n")
    return made


def test_the_best_match_comes_first_with_its_place(room: Room):
    found = room.search("how is money transferred")
    assert {hit.path for hit in found.hits} == {"src/bank.py", "docs/bank.md"}
    best = found.hits[0]
    assert best.score == 1.0
    assert found.files == 3
    hit = next(hit for hit in found.hits if hit.path == "src/bank.py")
    assert (hit.first, hit.last) == (1, 3)
    assert hit.text.startswith("def transferMoney(amount):\n")


@pytest.mark.parametrize(
    ("below", "expected"),
    [
        ("src/", ["src/bank.py"]),
        ("docs/bank.md", ["docs/bank.md"]),
        ("doc/", []),
        ("src/fish.py", []),
    ],
)
def test_a_search_can_be_kept_to_a_part(room: Room, below: str, expected: list[str]):
    assert room.paths("money", below) == expected


def test_a_directory_is_no_prefix_of_a_name(room: Room):
    room.write("src2/bank.py", "money = 1\n")
    assert room.paths("money", "src/") == ["src/bank.py"]


def test_changed_new_and_removed_files_are_followed(room: Room):
    assert room.paths("water") == ["src/fish.py"]
    room.write("src/fish.py", "def swim():\n    return 'lemonade'\n")
    room.write("new.py", "water = 1\n")
    (room.root / "src/bank.py").unlink()
    assert room.paths("water") == ["new.py"]
    assert room.paths("lemonade") == ["src/fish.py"]
    assert room.paths("transferMoney") == ["docs/bank.md"]  # it transfers, in words


def test_what_has_not_changed_is_not_read_again(room: Room):
    os.utime(room.root / "src/fish.py", (1, 1))
    room.search("water")
    connection = sqlite3.connect(room.database)
    before = connection.execute("SELECT max(id) FROM chunks").fetchone()
    room.search("water")
    os.utime(room.root / "src/fish.py", (2, 2))
    room.search("water")
    assert connection.execute("SELECT max(id) FROM chunks").fetchone() == before
    connection.close()


def test_what_is_ignored_hidden_or_secret_is_not_in_it(room: Room):
    room.write(".gitignore", "built/\n")
    for path in ("built/a.py", ".env", "node_modules/a.js", "no.py", "key.pem"):
        room.write(path, "zanzibar = 1\n")
    room.write(".agentignore", "no.py\n")
    (room.root / "link.py").symlink_to("no.py")
    (room.root / "binary.py").write_bytes(b"zanzibar\0")
    room.write("large.txt", "zanzibar\n" + "x\n" * 600_000)
    assert room.paths("zanzibar") == []
    assert b"zanzibar" not in room.database.read_bytes()


def test_what_is_refused_later_leaves_the_index(room: Room):
    assert room.paths("water") == ["src/fish.py"]
    room.write(".agentignore", "fish.py\n")
    assert room.paths("water") == []
    connection = sqlite3.connect(room.database)
    assert connection.execute(
        "SELECT count(*) FROM texts WHERE body LIKE '%water%'"
    ).fetchone() == (0,)
    connection.close()


def test_a_match_is_not_shown_if_its_file_has_changed_meanwhile(
    room: Room, monkeypatch: pytest.MonkeyPatch
):
    room.search("water")
    stale = refresh.refresh

    def change(store: object, work: object) -> object:
        covered = stale(store, work)  # type: ignore[arg-type]
        room.write("src/fish.py", "gone\n")
        (room.root / "src/bank.py").unlink(missing_ok=True)
        return covered

    monkeypatch.setattr(refresh, "refresh", change)
    assert room.paths("water") == []
    room.write("src/bank.py", "ledger = 2\n")
    assert room.paths("ledger") == []


def test_a_text_that_leads_a_grammar_astray_is_parted_by_lines(
    room: Room, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr("agent_cli.index.definitions.SECONDS", -1.0)
    room.write("src/long.py", "def f():\n    zanzibar(1)\n\n\n" * 400)
    hits = room.search("zanzibar").hits
    assert len(hits) > 1
    assert any(not hit.text.startswith("def") for hit in hits)


def test_odd_names_and_bytes_are_found(room: Room):
    name = os.fsdecode(b"caf\xe9.txt")
    (room.root / name).write_bytes(b"latin caf\xe9 zanzibar\r\nsecond\r")
    (hit,) = room.search("zanzibar").hits
    assert hit.path == name
    assert hit.text == "latin caf\N{REPLACEMENT CHARACTER} zanzibar\nsecond\n"


def test_another_root_has_an_index_of_its_own(room: Room):
    other = room.root.parent / "other"
    other.mkdir()
    (other / "a.py").write_text("zanzibar = 1\n")
    found = room.search("zanzibar", f"{other}/", extra=(other,))
    assert [hit.path for hit in found.hits] == [str(other / "a.py")]
    assert room.search("zanzibar", extra=(other,)).hits == ()
    assert len(list(room.cache.glob("*.db"))) == 2
    with pytest.raises(ToolError, match="outside the workspace"):
        room.search("zanzibar", "/etc/")


def test_a_question_needs_a_word(room: Room):
    with pytest.raises(ToolError, match="no word"):
        room.search("?!")


@pytest.mark.parametrize(
    ("limit", "value", "note"),
    [("FILES", 2, "only the first 2 files"), ("BYTES", 10, "MiB"), ("SECONDS", -1.0, "again")],
)
def test_the_index_is_bounded_and_says_so(
    room: Room, monkeypatch: pytest.MonkeyPatch, limit: str, value: float, note: str
):
    monkeypatch.setattr(refresh, limit, value)
    (said,) = room.search("water").notes
    assert note in said
    monkeypatch.undo()
    assert room.search("water").notes == ()


def test_a_workspace_too_large_to_walk_is_searched_as_far_as_it_was_read(
    room: Room, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr("agent_cli.workspace._walk.WALK_LIMIT", 3)
    found = room.search("money")
    assert "more than" in found.notes[0]


def test_progress_is_told(room: Room, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(refresh, "_TOLD_EVERY", 2)
    room.search("water")
    assert room.told == ["indexing: 2 files\n"]


def test_a_cancelled_search_ends_soon_and_the_next_goes_on(
    room: Room, monkeypatch: pytest.MonkeyPatch
):
    for number in range(300):
        room.write(f"many/{number}.py", "water = 1\n")
    started = threading.Event()
    chunks = refresh.chunks

    def slow(path: str, body: str) -> object:
        started.set()
        return chunks(path, body)

    monkeypatch.setattr(refresh, "chunks", slow)

    async def cancel() -> None:
        index, workspace = Index(room.cache), Workspace(room.root)
        task = asyncio.create_task(index.search(Question("water"), workspace, room.told.append))
        await asyncio.to_thread(started.wait)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(cancel())
    assert room.search("water").files == 303


def test_there_are_only_so_many_hits(room: Room):
    for number in range(30):
        room.write(f"{number}.txt", "zanzibar\n")
    assert len(room.search("zanzibar").hits) == LIMIT

"""Which files a call has shown to the model is recorded with what was in them."""

import hashlib
from pathlib import Path

import pytest
from testbed.dispatched import Answering, dispatch

from agent_cli.approval.policy import Policy
from agent_cli.runtime import reads
from agent_cli.types.approval import Decision
from agent_cli.types.entries import CallFinished
from agent_cli.types.events import Appended
from agent_cli.types.evidence import FileRead

ALLOWED = Policy(write=Decision.ALLOW)


def read_by(root: Path, name: str, arguments: dict[str, object]) -> tuple[FileRead, ...]:
    user = Answering(yes=True)
    dispatch(root, (name, arguments), ALLOWED, user=user)
    (finished,) = (
        event.entry
        for event in user.events
        if isinstance(event, Appended) and isinstance(event.entry, CallFinished)
    )
    return finished.read


def files(*paths: str) -> dict[str, object]:
    return {"files": [{"path": path} for path in paths]}


def hash_of(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def test_every_file_that_was_read_is_named_with_its_content(tmp_path: Path):
    (tmp_path / "a").write_bytes(b"one\n")
    (tmp_path / "b").write_bytes(b"two\n")
    (tmp_path / "link").symlink_to("a")
    assert read_by(tmp_path, "read_file", files("b", "./a", "link")) == (
        FileRead("b", hash_of(b"two\n")),
        FileRead("a", hash_of(b"one\n")),
    )


def test_a_part_of_a_file_is_known_by_the_whole(tmp_path: Path):
    (tmp_path / "a").write_bytes(b"one\ntwo\n")
    arguments: dict[str, object] = {"files": [{"path": "a", "line_ranges": ["2-2"]}]}
    assert read_by(tmp_path, "read_file", arguments) == (FileRead("a", hash_of(b"one\ntwo\n")),)


def test_a_call_that_failed_has_read_nothing(tmp_path: Path):
    (tmp_path / "a").write_bytes(b"one\n")
    assert read_by(tmp_path, "read_file", files("a", "absent")) == ()


def test_what_a_tool_reads_for_itself_is_not_named(tmp_path: Path):
    (tmp_path / "a").write_bytes(b"one\n")
    insert: dict[str, object] = {"path": "a", "line": 1, "content": "zero\n"}
    assert read_by(tmp_path, "insert_content", insert) == ()


def test_a_very_long_file_is_not_hashed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(reads, "LONGEST", 3)
    (tmp_path / "a").write_bytes(b"one\n")
    (tmp_path / "b").write_bytes(b"two")
    assert [one.path for one in read_by(tmp_path, "read_file", files("a", "b"))] == ["b"]


def test_a_name_that_is_not_text_is_spelled(tmp_path: Path):
    seen = reads.Reads()
    seen.saw("a\udcff", b"x")
    assert seen.found == (FileRead("a\\udcff", hash_of(b"x")),)

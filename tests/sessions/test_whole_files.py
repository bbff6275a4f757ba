"""Files that are written whole, or not at all, whatever the system does."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from testbed.faults import CHANGING, ERRORS, Nth, failing
from testbed.journals import SESSION, journal_of
from testbed.loaded import load, read

from agent_cli.sessions.journal import create, remove
from agent_cli.sessions.whole import write_new, write_session
from agent_cli.types.entries import Envelope, UserSaid
from agent_cli.types.errors import JournalError

JOURNAL = journal_of(SESSION)


def test_a_session_is_written_as_a_journal_would_be(tmp_path: Path):
    path = tmp_path / "new" / "s.jsonl"
    loaded = load(JOURNAL)
    assert write_session(path, loaded.envelopes) == loaded.last_hash
    assert path.read_bytes() == JOURNAL


def test_a_session_is_never_written_over(tmp_path: Path):
    path = tmp_path / "s.jsonl"
    path.write_bytes(b"mine")
    with pytest.raises(JournalError, match="there is a session s already"):
        write_session(path, load(JOURNAL).envelopes)
    assert path.read_bytes() == b"mine"


@pytest.mark.parametrize("code", ERRORS.values(), ids=ERRORS)
def test_a_failure_anywhere_leaves_nothing(tmp_path: Path, code: int):
    for number in range(1, 50):
        path = tmp_path / str(number) / "s.jsonl"
        nth = Nth(number, failing(code), tuple(set(CHANGING) - {"unlink"}))
        try:
            with nth():
                write_session(path, load(JOURNAL).envelopes)
        except JournalError:
            assert not path.parent.exists() or list(path.parent.iterdir()) == [], nth.hit
            continue
        assert not nth.hit
        assert read(path).last_hash
        return
    raise AssertionError("it was never written")


def test_what_is_no_text_is_not_written(tmp_path: Path):
    with pytest.raises(JournalError, match="cannot write"):
        write_session(tmp_path / "s.jsonl", [Envelope(0, "", UserSaid("\udcff"))])
    assert list(tmp_path.iterdir()) == []


def test_a_bug_leaves_no_half_of_a_session(tmp_path: Path):
    def broken() -> Iterator[Envelope]:
        yield load(JOURNAL).envelopes[0]
        raise KeyError

    with pytest.raises(KeyError):
        write_session(tmp_path / "s.jsonl", broken())
    assert list(tmp_path.iterdir()) == []


def test_a_new_file_is_the_users_alone(tmp_path: Path):
    write_new(tmp_path / "a", b"text")
    assert (tmp_path / "a").read_bytes() == b"text"
    assert (tmp_path / "a").stat().st_mode & 0o777 == 0o600
    with pytest.raises(JournalError, match="is there already"):
        write_new(tmp_path / "a", b"more")
    with pytest.raises(JournalError, match="cannot write"):
        write_new(tmp_path / "no" / "a", b"more")


def test_a_session_is_deleted_with_what_was_set_aside(tmp_path: Path):
    path = tmp_path / "s.jsonl"
    for name in ("s.jsonl", "s.jsonl.damaged-1", "s.jsonl.damaged-2", "t.jsonl"):
        (tmp_path / name).write_bytes(JOURNAL)
    remove(path)
    assert [one.name for one in tmp_path.iterdir()] == ["t.jsonl"]
    with pytest.raises(JournalError, match="cannot delete"):
        remove(path)


def test_a_session_that_is_open_is_not_deleted(tmp_path: Path):
    path = tmp_path / "s.jsonl"
    journal = create(path)
    try:
        with pytest.raises(JournalError, match="open in another process"):
            remove(path)
        assert path.exists()
    finally:
        journal.close()

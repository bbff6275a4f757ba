"""The catalogue of sessions: listed latest first, found by id or its beginning."""

import os
import re
from pathlib import Path

import pytest
from msgspec.structs import replace
from testbed.journals import journal_of
from testbed.story import BEGINNING, SESSION

from agent_cli.sessions.catalog import (
    SessionInfo,
    find,
    last_model,
    new_id,
    session_path,
    sessions,
)
from agent_cli.types.entries import Entry, ModelSwitched, SessionRenamed, TaskStarted, UserSaid
from agent_cli.types.errors import JournalError

HERE = Path("/home/me/project one")
THERE = Path("/home/me/other")


def kept(
    directory: Path, session_id: str, *, cwd: Path = HERE, said: str = "do it", changed: int = 0
) -> Path:
    path = session_path(directory, cwd, session_id)
    path.parent.mkdir(parents=True, exist_ok=True)
    started = replace(SESSION, id=session_id, cwd=str(cwd))
    path.write_bytes(journal_of([started, TaskStarted("code"), UserSaid(said)]))
    os.utime(path, (changed, changed))
    return path


def test_ids_sort_by_time_are_unique_and_safe():
    ids = [new_id() for _ in range(100)]
    assert len(set(ids)) == 100
    assert all(re.fullmatch(r"\d{8}-\d{6}-[0-9a-f]{8}", one) for one in ids)
    assert [one[:15] for one in ids] == sorted(one[:15] for one in ids)


@pytest.mark.parametrize(
    ("cwd", "beginning"),
    [("/home/me/a_b-c.d", "a_b-c.d-"), ("/home/me/a b/ö:x", "ö-x-"), ("/", "root-")],
    ids=["plain", "changed", "root"],
)
def test_a_session_lies_in_a_directory_named_after_its_place(
    tmp_path: Path, cwd: str, beginning: str
):
    path = session_path(tmp_path, Path(cwd), "one")
    assert path.parent.parent == tmp_path
    assert re.fullmatch(re.escape(beginning) + "[0-9a-f]{12}", path.parent.name)
    assert path.name == "one.jsonl"


def test_places_of_the_same_name_are_kept_apart(tmp_path: Path):
    assert session_path(tmp_path, Path("/a/x"), "one") != session_path(
        tmp_path, Path("/b/x"), "one"
    )


def test_a_place_whose_name_is_not_utf_8_has_sessions_too(tmp_path: Path):
    path = session_path(tmp_path, Path(os.fsdecode(b"/home/me/\xff")), "one")
    path.parent.mkdir()
    assert path.parent.is_dir()


def test_sessions_are_listed_latest_first(tmp_path: Path):
    kept(tmp_path, "a", changed=1)
    kept(tmp_path, "b", changed=3, cwd=THERE)
    kept(tmp_path, "c", changed=2)
    assert [info.id for info in sessions(tmp_path)] == ["b", "c", "a"]
    assert [info.id for info in sessions(tmp_path, HERE)] == ["c", "a"]
    assert sessions(tmp_path, Path("/nowhere")) == []
    assert sessions(tmp_path / "not there") == []


def test_a_session_is_listed_with_what_it_is_about(tmp_path: Path):
    path = kept(tmp_path, "a", said="  fix\nthe\ttest ", changed=7)
    at = "2026-11-21T10:00:00.000000Z"
    expected = SessionInfo("a", path, str(HERE), "test/model", at, 7.0, "fix the test")
    assert sessions(tmp_path) == [expected]


@pytest.mark.parametrize(
    ("said", "title"),
    [("x" * 72, "x" * 72), ("x" * 73, "x" * 71 + "…"), ("", "")],
    ids=["fits", "cut", "empty"],
)
def test_a_title_is_short(tmp_path: Path, said: str, title: str):
    kept(tmp_path, "a", said=said)
    assert sessions(tmp_path)[0].title == title


@pytest.mark.parametrize("behind", [0, 100, 256 * 1024, 700_000], ids=str)
def test_the_last_name_that_it_was_given_is_the_title(tmp_path: Path, behind: int):
    told: list[Entry] = [*BEGINNING, SessionRenamed("first"), SessionRenamed(" the\n last ")]
    said = [UserSaid('"entry":{"type":"session_renamed","title":"no"}' + "x" * behind)]
    kept(tmp_path, "a").write_bytes(journal_of([*told, *said]))
    assert sessions(tmp_path)[0].title == "the last"


def test_a_name_that_lies_across_two_reads_is_found(tmp_path: Path):
    path = kept(tmp_path, "a")
    for length in range(256 * 1024 - 460, 256 * 1024 - 200, 7):
        told = [*BEGINNING[:2], UserSaid("x" * length), SessionRenamed("name"), UserSaid("y" * 50)]
        path.write_bytes(journal_of(told))
        assert sessions(tmp_path)[0].title == "name"


def test_a_damaged_name_is_none(tmp_path: Path):
    path = kept(tmp_path, "a")
    path.write_bytes(journal_of([*BEGINNING, SessionRenamed("name")])[:-6])
    assert sessions(tmp_path)[0].title == "do it"


@pytest.mark.parametrize("behind", [0, 300, 300_000], ids=str)
def test_the_model_that_was_asked_last_is_found(tmp_path: Path, behind: int):
    path = kept(tmp_path, "a")
    assert last_model(path) == sessions(tmp_path)[0].model == "test/model"
    told: list[Entry] = [
        *BEGINNING,
        ModelSwitched("b/b"),
        SessionRenamed("x"),
        ModelSwitched("c/c"),
    ]
    path.write_bytes(journal_of([*told, UserSaid("x" * behind)]))
    assert last_model(path) == sessions(tmp_path)[0].model == "c/c"
    assert sessions(tmp_path)[0].title == "x"


def test_what_is_no_session_has_no_model(tmp_path: Path):
    with pytest.raises(JournalError, match="no session"):
        last_model(tmp_path / "nowhere")


def test_a_fork_is_listed_with_its_origin(tmp_path: Path):
    kept(tmp_path, "a").write_bytes(journal_of([replace(SESSION, forked_from="b")]))
    assert sessions(tmp_path)[0].forked_from == "b"


def test_a_session_in_which_nobody_spoke_has_no_title(tmp_path: Path):
    kept(tmp_path, "a").write_bytes(journal_of(BEGINNING[:2]))
    assert sessions(tmp_path)[0].title == ""


def test_a_damaged_session_is_listed_with_what_is_left(tmp_path: Path):
    path = kept(tmp_path, "a")
    path.write_bytes(path.read_bytes() + b"\x00" * 300_000)
    assert sessions(tmp_path)[0].title == "do it"


def test_what_is_no_session_is_not_listed(tmp_path: Path):
    kept(tmp_path, "a").write_bytes(b"")
    kept(tmp_path, "b").write_bytes(b"garbage\n")
    kept(tmp_path, "c").write_bytes(journal_of(BEGINNING[1:]))
    session_path(tmp_path, HERE, "d").mkdir()
    session_path(tmp_path, HERE, "e").symlink_to("nowhere")
    assert sessions(tmp_path) == []


def test_a_session_is_found_by_its_id_or_the_beginning_of_it(tmp_path: Path):
    path = kept(tmp_path, "20261121-one")
    kept(tmp_path, "20261122-two", cwd=THERE)
    assert find(tmp_path, "20261121-one") == path
    assert find(tmp_path, "20261121") == path


def test_a_whole_id_is_found_although_another_begins_with_it(tmp_path: Path):
    path = kept(tmp_path, "one")
    kept(tmp_path, "one-more")
    assert find(tmp_path, "one") == path


def test_an_ambiguous_beginning_names_what_it_could_be(tmp_path: Path):
    for name in "abcdefg":
        kept(tmp_path, f"one-{name}")
    expected = r"'one' could be any of one-a, one-b, one-c, one-d, one-e: give more of the id"
    with pytest.raises(JournalError, match=expected):
        find(tmp_path, "one")


@pytest.mark.parametrize(
    ("session_id", "message"),
    [
        ("two", "there is no session 'two'"),
        ("", "'' is not a session id"),
        ("*", "'*' is not a session id"),
        ("../one", "'../one' is not a session id"),
        ("o?e", "'o?e' is not a session id"),
        ("[o]ne", "'[o]ne' is not a session id"),
    ],
)
def test_what_is_not_there_is_not_found(tmp_path: Path, session_id: str, message: str):
    kept(tmp_path, "one")
    with pytest.raises(JournalError, match=re.escape(f"{message}")):
        find(tmp_path, session_id)

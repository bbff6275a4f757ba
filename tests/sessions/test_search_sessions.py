"""Words are found wherever people or models wrote them."""

from pathlib import Path

import pytest
from testbed.journals import SESSION, journal_of
from testbed.story import SESSION as STARTED

from agent_cli.sessions.search import Hit, search
from agent_cli.types.entries import UserSaid


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("sessions") / "s.jsonl"
    path.write_bytes(journal_of(SESSION))
    return path


FOUND = {
    "words of the user": (("see",), ["user"]),
    "a subtask's message": (("look", "at"), ["model"]),
    "words of the model": (("größer",), ["model"]),
    "any case": (("i CHANGE", "IT"), ["model"]),
    "arguments of a call": (("read_file", "path", "a\\n"), ["call"]),
    "a result": (("line", "two"), ["result"]),
    "a completion": (("it is done",), ["result", "result", "result"]),
    "a title": (("a name",), ["title"]),
    "a summary": (("what was said",), ["model"]),
    "cut off words": (("half a sent",), ["model"]),
    "words apart": (("line", "see"), []),
    "no pattern": ((".*",), []),
    "nothing": ((), []),
}


@pytest.mark.parametrize(("words", "where"), FOUND.values(), ids=FOUND)
def test_what_is_found(words: tuple[str, ...], where: list[str], path: Path):
    assert [hit.where for hit in search(path, words)] == where


def test_a_hit_shows_what_is_around_it(tmp_path: Path):
    path = tmp_path / "s.jsonl"
    text = "x" * 50 + "\n needle \n" + "y" * 100
    path.write_bytes(journal_of([STARTED, UserSaid(text)]))
    (hit,) = search(path, ("needle",))
    expected = "…" + "x" * 38 + " needle " + "y" * 78 + "…"
    assert hit == Hit(1, "2026-11-21T10:00:00.000000Z", "user", expected)


def test_a_damaged_session_is_searched_up_to_the_damage(path: Path, tmp_path: Path):
    torn = tmp_path / "s.jsonl"
    torn.write_bytes(path.read_bytes()[:-5])
    assert [hit.where for hit in search(torn, ("see",))] == ["user"]

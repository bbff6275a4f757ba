"""What a user does with a session: named, forked, deleted, words taken back."""

from pathlib import Path

import pytest
from testbed.journals import SESSION, journal_of
from testbed.story import asked, story

from agent_cli.runtime.session import Session
from agent_cli.runtime.session_care import delete_session, fork_session, rename, unsay
from agent_cli.sessions.journal import Ephemeral
from agent_cli.types.entries import HistoryCompacted, UserSaid
from agent_cli.types.errors import JournalError
from agent_cli.types.redaction import REMOVED, Redactor
from agent_cli.undo.preimages import session_folder
from agent_cli.undo.sharing import share


def session(*told) -> Session:
    redactor = Redactor(frozenset({"a-secret-of-mine"}))
    return Session(Ephemeral(), lambda _: None, story(*told), redactor)


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("  a\n name ", "a name"),
        ("x" * 300, "x" * 200),
        ("", ""),
        (" \n", ""),
        ("of a-secret-of-mine", f"of {REMOVED}"),
    ],
)
def test_a_name_is_one_line_without_secrets(text: str, title: str):
    one = session()
    assert rename(one, text) == one.state.title == title


def test_words_are_unsaid_by_number():
    one = session(asked(text="well"), UserSaid("more"))
    assert unsay(one, 2) == "more"
    assert one.state.messages_said == 1


@pytest.mark.parametrize("number", [-1, 0, 3])
def test_there_must_be_such_a_message(number: int):
    one = session(asked(text="well"), UserSaid("more"))
    with pytest.raises(JournalError, match=f"no message {number} of yours"):
        unsay(one, number)


def test_a_fork_reaches_behind_a_compaction():
    one = session(asked(text="well"), HistoryCompacted("so", 1, "user"), UserSaid("more"))
    with pytest.raises(JournalError, match="agent sessions fork s --at 0"):
        unsay(one, 1)
    assert unsay(one, 2) == "more"


def test_what_undo_needs_goes_with_a_fork_and_with_the_session(tmp_path: Path):
    path = tmp_path / "old.jsonl"
    path.write_bytes(journal_of(SESSION))
    environ = {"AGENT_HOME": str(tmp_path / "home")}
    place = tmp_path / "home/data/undo"
    content = session_folder(place, "old").put(b"before")
    assert content is not None
    forked = fork_session(path, environ)
    delete_session(path, environ)
    assert not path.exists()
    assert session_folder(place, "old").get(content) is None
    assert session_folder(place, forked.stem).get(content) == b"before"


def test_nothing_kept_is_nothing_shared(tmp_path: Path):
    share(tmp_path, "old", "new")
    assert list(tmp_path.iterdir()) == []

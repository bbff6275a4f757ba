"""A fork has the same beginning and leaves its origin alone."""

from pathlib import Path

import pytest
from testbed.journals import SESSION, journal_of
from testbed.loaded import entries, read, reopen
from testbed.story import BEGINNING, Told, asked, entries_of

from agent_cli.engine.state import fold
from agent_cli.sessions.fork import cut_at, fork
from agent_cli.types.entries import Entry, Envelope, Rewound, SessionStarted, TaskStarted, UserSaid
from agent_cli.types.errors import JournalError
from agent_cli.types.queued_input import InputQueued, InputUnqueued


def kept(folder: Path, told: list[Entry] = SESSION) -> Path:
    path = folder / "s.jsonl"
    path.write_bytes(journal_of(told))
    return path


def test_a_fork_tells_the_same_under_its_own_name(tmp_path: Path):
    path = kept(tmp_path)
    forked = fork(path)
    assert forked.parent == path.parent
    started, *rest = entries(read(forked))
    assert isinstance(started, SessionStarted)
    assert (started.id, started.forked_from) == (forked.stem, "s")
    assert rest == SESSION[1:]
    assert path.read_bytes() == journal_of(SESSION)
    assert forked.stat().st_mode & 0o777 == 0o600


def test_times_are_kept(tmp_path: Path):
    path = kept(tmp_path)
    times = [envelope.at for envelope in read(path).envelopes]
    assert [envelope.at for envelope in read(fork(path)).envelopes] == times


SAID: dict[str, tuple[list[Told], int, list[str]]] = {
    "nothing": ([UserSaid("a")], 0, []),
    "one": ([UserSaid("a")], 1, ["do it"]),
    "all": ([UserSaid("a")], 2, ["do it", "a"]),
    "unsaid words do not count": (
        [UserSaid("a"), Rewound(1), UserSaid("b"), UserSaid("c")],
        2,
        ["do it", "b"],
    ),
    "queued words are not said later": (
        [InputQueued("a"), asked(text="well"), UserSaid("a", queued=True)],
        1,
        ["do it"],
    ),
    "nor are queued words that were taken back": (
        [*map(InputQueued, "ab"), InputUnqueued("b"), UserSaid("a", queued=True), UserSaid("c")],
        2,
        ["do it", "a"],
    ),
    "nor are queued words that a hook forbade before others": (
        [*map(InputQueued, "ab"), InputUnqueued("a"), UserSaid("b", queued=True)],
        1,
        ["do it"],
    ),
    "words delivered before stay": (
        [*map(InputQueued, "ab"), *(UserSaid(one, queued=True) for one in "ab")],
        2,
        ["do it", "a"],
    ),
}


@pytest.mark.parametrize(("told", "at", "said"), SAID.values(), ids=SAID)
def test_a_fork_can_end_after_any_message(
    told: list[Told], at: int, said: list[str], tmp_path: Path
):
    state = fold(entries(read(fork(kept(tmp_path, entries_of([*BEGINNING, *told])), at))))
    assert list(state.unsayable) == said
    assert state.queued == ()


@pytest.mark.invariant("I10")
@pytest.mark.parametrize("at", range(5))
def test_every_fork_makes_sense(at: int, tmp_path: Path):
    assert fold(entries(read(fork(kept(tmp_path), at)))).messages_said <= at


@pytest.mark.parametrize("at", [-1, 2])
def test_there_must_be_such_a_message(at: int, tmp_path: Path):
    with pytest.raises(JournalError, match=f"{at} is none of its messages: .* from 0 to 1"):
        fork(kept(tmp_path, list(BEGINNING)), at)
    assert [one.name for one in tmp_path.iterdir()] == ["s.jsonl"]


def test_what_contradicts_itself_is_cut_all_the_same():
    told = [UserSaid("a"), Rewound(-5), UserSaid("b"), UserSaid("c", queued=True)]
    envelopes = [Envelope(seq, "", entry) for seq, entry in enumerate(told)]
    assert cut_at(envelopes, 1).end == 3


def test_a_session_at_work_is_forked_as_far_as_it_is_written(tmp_path: Path):
    path = kept(tmp_path)
    journal, _ = reopen(path)
    try:
        assert len(read(fork(path)).envelopes) == len(SESSION)
    finally:
        journal.close()


def test_the_valid_part_of_a_damaged_session_is_forked(tmp_path: Path):
    path = kept(tmp_path)
    path.write_bytes(path.read_bytes() + b'{"torn')
    assert len(read(fork(path)).envelopes) == len(SESSION)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "does not begin with the start"),
        (journal_of([TaskStarted("code")]), "does not begin with the start"),
        (journal_of([SessionStarted(99, "s", "/", "m", "native")]), "newer format, 99"),  # type: ignore[arg-type]
        (None, "cannot read the session"),
    ],
    ids=["empty", "no beginning", "newer", "not there"],
)
def test_what_is_no_session_is_not_forked(data: bytes | None, message: str, tmp_path: Path):
    path = tmp_path / "s.jsonl"
    if data is not None:
        path.write_bytes(data)
    with pytest.raises(JournalError, match=message):
        fork(path)
    assert [one for one in tmp_path.iterdir() if one != path] == []

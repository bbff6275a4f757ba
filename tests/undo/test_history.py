"""Which changes stand, and what takes them back: from the entries alone."""

from typing import Any

import pytest

from agent_cli.types.entries import FilesChanged, FilesRestored, Rewound, UserSaid
from agent_cli.types.evidence import FileChange, FileVersion
from agent_cli.undo.history import History, Wanted, history, net, redoing, undoing

SAID = UserSaid("go")


def state(name: str | None) -> FileVersion | None:
    return None if name is None else FileVersion(name, 0o644)


def change(path: str, before: str | None, after: str | None) -> FileChange:
    return FileChange(path, state(before), state(after))


def changed(call_id: str, *steps: tuple[str, str | None, str | None]) -> FilesChanged:
    return FilesChanged(call_id, tuple(change(*one) for one in steps))


def restored(why: str, *steps: tuple[str, str | None, str | None], **more: Any) -> FilesRestored:
    return FilesRestored(tuple(change(*one) for one in steps), why, **more)


def standing(known: History) -> list[tuple[int, str, str]]:
    return [(one.turn, one.call_id, one.file.path) for one in known.since(0)]


def test_a_turn_is_the_work_on_one_message():
    known = history(
        [SAID, changed("1", ("a", None, "A")), SAID, SAID, changed("2", ("b", "B", "C"))]
    )
    assert standing(known) == [(1, "1", "a"), (3, "2", "b")]
    assert (known.turn, known.last) == (3, 3)


def test_a_message_that_was_rewound_counts():
    known = history([SAID, Rewound(0), SAID, changed("1", ("a", None, "A"))])
    assert known.last == 2


def test_undone_changes_stand_no_more_and_redone_ones_do():
    told = [SAID, changed("1", ("a", "A", "B")), SAID, changed("2", ("a", "B", "C"))]
    undone = restored("undo", ("a", "C", "B"), calls=("2",))
    assert standing(history([*told, undone])) == [(1, "1", "a")]
    assert history([*told, undone]).redoable() == undone
    again = history([*told, undone, restored("redo", ("a", "B", "C"), calls=("2",))])
    assert standing(again) == [(1, "1", "a"), (2, "2", "a")]
    assert again.redoable() is None


def test_a_rollback_takes_back_and_cannot_be_redone():
    known = history(
        [SAID, changed("1", ("a", "A", "B")), changed("2", ("a", "B", "C")),
         restored("rollback", ("a", "C", "B"))]
    )  # fmt: skip
    assert standing(known) == [(1, "1", "a")]
    assert known.redoable() is None


def test_after_a_new_change_nothing_can_be_redone():
    told = [SAID, changed("1", ("a", "A", "B")), restored("undo", ("a", "B", "A"), calls=("1",))]
    assert history([*told, changed("2", ("b", None, "B"))]).redoable() is None


def test_what_an_undo_had_to_leave_is_not_in_the_way_of_the_next():
    told = [SAID, changed("1", ("a", "A", "B")), SAID, changed("2", ("b", "B", "C"))]
    known = history([*told, restored("undo", calls=("2",), conflicts=("b",))])
    assert known.last == 1
    assert [one.file.path for one in known.since(2)] == ["b"]


def test_what_was_missed_is_told_by_turn():
    known = history([SAID, FilesChanged("1", (), ("big",)), FilesChanged("2", (), ("huge",))])
    assert known.missed == {1: ("big", "huge")}
    assert known.last is None


@pytest.mark.parametrize(
    ("changes", "wanted"),
    [
        ([("a", "A", "B"), ("a", "B", "C")], [Wanted("a", state("C"), state("A"))]),
        ([("a", None, "B"), ("a", "B", None)], []),
        ([("a", "A", "B"), ("a", "B", "A")], []),
        ([("a", None, "A"), ("b", "B", None)],
         [Wanted("b", None, state("B")), Wanted("a", state("A"), None)]),
        ([("a", "A", "B"), ("a", "X", "C")], [Wanted("a", state("C"), state("X"), partly=True)]),
        ([("a", "0", "A"), ("a", "A", "B"), ("a", "X", "C")],
         [Wanted("a", state("C"), state("X"), partly=True)]),
    ],
    ids=["a chain", "made and removed", "there and back", "two files", "foreign between",
         "foreign after a chain"],
)  # fmt: skip
def test_what_takes_changes_back(changes: list[Any], wanted: list[Wanted]):
    assert list(undoing([change(*one) for one in changes])) == wanted


def test_a_redo_is_an_undo_the_other_way_round():
    undone = restored("undo", ("a", "C", "B"))
    assert redoing(undone) == (Wanted("a", state("B"), state("C")),)


def test_changes_come_to_the_first_state_and_the_last():
    steps = [change("a", "A", "B"), change("b", None, "B"), change("a", "B", "C")]
    steps.append(change("b", "B", None))
    assert net(steps) == (change("a", "A", "C"),)

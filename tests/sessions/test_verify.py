"""Whether calls and results add up, one row per way in which they do not."""

import pytest
from msgspec.structs import replace
from testbed.journals import SESSION
from testbed.story import BEGINNING, Told, allowed, asked, call, entries_of, ran, settled, started

from agent_cli.engine.subtasks import SUBTASK
from agent_cli.sessions.verify import Report, verify
from agent_cli.types.entries import CallStarted, Rewound, TaskStarted, UserSaid
from agent_cli.types.outcomes import Code, Outcome

NOTHING = Report(
    calls=0,
    results=0,
    outcomes=(),
    duplicates=(),
    orphans=(),
    unanswered=(),
    misplaced=(),
    rerun=(),
)


def counted(*told: Told) -> Report:
    """What is found wrong; how much there was is told by other tests."""
    return replace(verify(entries_of(told)), calls=0, results=0, outcomes=())


def test_a_whole_session_adds_up():
    report = verify(SESSION)
    assert report.adds_up
    assert (report.calls, report.results) == (7, 7)
    assert report.outcomes == (("ok", 4), ("failed", 2), ("denied", 1))


def test_a_session_without_calls_adds_up():
    assert verify(BEGINNING) == NOTHING
    assert NOTHING.adds_up


A_B = asked("a", "b")
BEFORE = asked("a")

ROWS: dict[str, tuple[list[Told], Report]] = {
    "all answered in order": ([A_B, ran("a"), ran("b")], NOTHING),
    "one open": ([A_B, ran("a")], replace(NOTHING, unanswered=("b",))),
    "all open": ([A_B], replace(NOTHING, unanswered=("a", "b"))),
    "two results": (
        [A_B, ran("a"), settled("a", Outcome.FAILED), ran("b")],
        replace(NOTHING, duplicates=("a",)),
    ),
    "two calls of one id": (
        [BEFORE, ran("a"), asked("a")],
        replace(NOTHING, duplicates=("a",)),
    ),
    "a result of no call": (
        [BEFORE, ran("a"), settled("x", Outcome.FAILED)],
        replace(NOTHING, orphans=("x",)),
    ),
    "a result before its call": (
        [settled("a", Outcome.FAILED), BEFORE],
        replace(NOTHING, orphans=("a",), unanswered=("a",)),
    ),
    "results the other way round": (
        [A_B, settled("b", Outcome.FAILED), settled("a", Outcome.FAILED)],
        replace(NOTHING, misplaced=("b",)),
    ),
    "a call started twice": (
        [BEFORE, allowed("a"), CallStarted("a"), CallStarted("a"), settled("a", Outcome.OK)],
        replace(NOTHING, rerun=("a",)),
    ),
}


def test_a_subtask_that_goes_on_after_all_answers_its_call_again():
    part = call("part", SUBTASK)
    begun = [asked(part), started("part"), TaskStarted("ask", "part", "look")]
    over = [asked("a"), ran("a"), settled("part", Outcome.FAILED, Code.SUBTASK_CANCELLED)]
    again = [Rewound(1), settled("part", Outcome.FAILED, Code.SUBTASK_CANCELLED)]
    whole = [UserSaid("do it"), *begun, UserSaid("and there"), *over]
    assert counted(*whole) == NOTHING
    assert counted(*whole, *again[:1]) == replace(NOTHING, waiting=("part",))
    assert counted(*whole, *again) == NOTHING


def test_a_result_in_the_middle_of_a_subtask_is_misplaced_and_not_its_parents():
    part = call("part", SUBTASK)
    begun = [asked(part, "late"), started("part"), TaskStarted("ask", "part", "look")]
    told = [*begun, asked("a", "b"), settled("late", Outcome.FAILED), ran("a")]
    found = counted(*told, settled("b", Outcome.FAILED))
    assert found == replace(NOTHING, misplaced=("late",), waiting=("part",))


def test_calls_whose_words_were_taken_back_are_not_missed():
    assert counted(UserSaid("do it"), asked("a", "b"), ran("a"), Rewound(0)) == NOTHING


@pytest.mark.parametrize(("told", "expected"), ROWS.values(), ids=ROWS)
def test_it_finds(told: list[Told], expected: Report):
    assert counted(*told) == expected
    assert verify(entries_of(told)).adds_up == (expected == NOTHING)


def test_outcomes_are_counted_in_the_order_of_the_law():
    told = [
        entry
        for outcome in reversed(Outcome)
        for entry in (asked(outcome.value), settled(outcome.value, outcome))
    ]
    assert verify(told).outcomes == tuple((outcome.value, 1) for outcome in Outcome)

"""What a compaction may leave out, and what it leaves as it was."""

import pytest
from msgspec.structs import replace
from testbed.story import Told, accepted, asked, completion, ran, settled, story

from agent_cli.engine.state import apply
from agent_cli.engine.steps import Awaiting, AwaitUser, CallModel, Rules, next_step
from agent_cli.engine.window import cuts
from agent_cli.types.entries import HistoryCompacted, TaskFinished, UserSaid
from agent_cli.types.errors import InvalidTransitionError
from agent_cli.types.messages import ToolResult, UserMessage
from agent_cli.types.outcomes import Code, Outcome
from agent_cli.types.usage import Usage

TWO_TURNS: list[Told] = [asked("a", "b"), ran("a"), ran("b"), asked("c"), ran("c")]
CUTS: dict[str, tuple[list[Told], tuple[int, ...]]] = {
    "the first words alone": ([], ()),
    "one turn": ([asked("a"), ran("a")], (2,)),
    "never between a call and its result": (TWO_TURNS, (5, 2)),
    "before words of the user": ([asked(text="well"), UserSaid("go on")], (2, 1)),
    "results that never ran": ([asked("a"), settled("a", Outcome.SKIPPED, Code.STOPPED)], (2,)),
}


@pytest.mark.parametrize(("told", "expected"), CUTS.values(), ids=CUTS)
def test_a_cut_leaves_calls_with_their_results(told: list[Told], expected: tuple[int, ...]):
    messages = story(*told).task.messages
    assert cuts(messages) == expected
    for kept in expected:
        assert not isinstance(messages[-kept], ToolResult)


@pytest.mark.parametrize("kept", [5, 2, 0])
def test_what_is_kept_stays_the_same_object(kept: int):
    before = story(*TWO_TURNS)
    after = apply(before, HistoryCompacted("text", kept, "window", summary="sum"))
    first, *rest = after.task.messages
    assert first == UserMessage("text")
    assert len(rest) == kept
    last = before.task.messages[len(before.task.messages) - kept :]
    assert all(new is old for new, old in zip(rest, last, strict=True))
    assert (after.task.said, after.task.summary) == (("do it",), "sum")
    assert next_step(after, Rules()) == CallModel()


def test_the_summary_is_paid_for():
    before = story(*TWO_TURNS)
    entry = HistoryCompacted("text", 2, "window", asked=True, usage=Usage(9, 8, cost=0.5))
    after = apply(before, entry)
    assert after.spent == before.spent + entry.usage
    assert after.turns == before.turns + 1
    assert apply(before, replace(entry, asked=False)).turns == before.turns


FLOOR = [asked(text="well")]
DONE = [asked(completion()), accepted(), TaskFinished("it is done")]


@pytest.mark.parametrize(
    ("told", "kept", "why"),
    [(FLOOR, 1, Awaiting.FLOOR), (DONE, 2, Awaiting.FINISHED), (DONE, 0, Awaiting.FINISHED)],
)
def test_the_user_keeps_the_floor(told: list[Told], kept: int, why: Awaiting):
    state = apply(story(*told), HistoryCompacted("text", kept, "user"))
    assert next_step(state, Rules(interactive=True)) == AwaitUser(why)


COMPACTED = HistoryCompacted("text", 2, "window")
ILLEGAL: dict[str, tuple[list[Told], HistoryCompacted]] = {
    "between a call and its result": (TWO_TURNS, HistoryCompacted("text", 4, "window")),
    "everything kept": (TWO_TURNS, HistoryCompacted("text", 6, "window")),
    "more kept than there is": (TWO_TURNS, HistoryCompacted("text", 7, "window")),
    "less than nothing kept": (TWO_TURNS, HistoryCompacted("text", -1, "window")),
    "to nothing": (TWO_TURNS, HistoryCompacted(" \n", 2, "window")),
    "with a call open": ([asked("a")], HistoryCompacted("text", 0, "window")),
    "twice without an answer": ([*TWO_TURNS, COMPACTED], COMPACTED),
    "twice without an answer, words between": (
        [*TWO_TURNS, COMPACTED, UserSaid("go on")],
        HistoryCompacted("text", 1, "user"),
    ),
    "so that the model would be asked again": (FLOOR, HistoryCompacted("text", 0, "user")),
}


@pytest.mark.parametrize(("told", "entry"), ILLEGAL.values(), ids=ILLEGAL)
def test_what_no_compaction_may_do(told: list[Told], entry: HistoryCompacted):
    state = story(*told)
    with pytest.raises(InvalidTransitionError):
        apply(state, entry)


def test_after_an_answer_it_may_be_compacted_again():
    state = story(*TWO_TURNS, COMPACTED, asked("d"), ran("d"))
    assert len(apply(state, COMPACTED).task.messages) == 3

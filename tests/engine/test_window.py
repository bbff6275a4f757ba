"""What a compaction keeps: never a result without its call, and never a summary of a summary."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from testbed.story import asked, ran, story

from agent_cli.engine.state import apply
from agent_cli.engine.task import State
from agent_cli.engine.window import cuts
from agent_cli.types.entries import Entry, HistoryCompacted, Nudged
from agent_cli.types.errors import InvalidTransitionError
from agent_cli.types.messages import AssistantMessage, ToolResult, UserMessage
from agent_cli.types.outcomes import Nudge


def compacted(text: str, kept: int = 0) -> HistoryCompacted:
    return HistoryCompacted(text, kept, by="user")


@st.composite
def conversations(draw: st.DrawFn) -> State:
    """A session at rest: messages of calls, of words, and nudges, in any order."""
    told: list[Entry | tuple[Entry, ...]] = []
    for turn in range(draw(st.integers(1, 6))):
        count = draw(st.integers(0, 3))
        names = [f"{turn}{place}" for place in range(count)]
        told.append(asked(*names, text="" if names else "words"))
        told += [ran(name) for name in names]
        if not names:
            told.append(Nudged(Nudge.NO_TOOL))
    return story(*told)


@pytest.mark.invariant("I10")
@pytest.mark.trap("T-22")
@given(conversations())
def test_t22_no_cut_parts_a_result_from_its_call(state: State):
    messages = state.task.messages
    kept_sizes = cuts(messages)
    assert all(before > after for before, after in pairwise(kept_sizes))
    for size in kept_sizes:
        kept = messages[len(messages) - size :]
        calls = [call.id for one in kept if isinstance(one, AssistantMessage) for call in one.calls]
        assert [one.call_id for one in kept if isinstance(one, ToolResult)] == calls


@pytest.mark.invariant("I10")
@pytest.mark.trap("T-22")
@given(conversations(), st.integers(-1, 30))
def test_t22_only_such_a_cut_is_recorded(state: State, kept: int):
    entry = compacted("what was", kept)
    if kept not in (0, *cuts(state.task.messages)):
        with pytest.raises(InvalidTransitionError, match="cannot be kept"):
            apply(state, entry)
        return
    first, *rest = apply(state, entry).task.messages
    assert first == UserMessage("what was")
    assert tuple(rest) == state.task.messages[len(state.task.messages) - kept :]


REFUSED = {
    "while a call is open": ((asked("a"),), compacted("what was")),
    "again, before the model has spoken": (
        (asked("a"), ran("a"), compacted("what was")),
        compacted("what was that was"),
    ),
    "to nothing": ((asked("a"), ran("a")), compacted(" ")),
}


@pytest.mark.trap("T-22")
@pytest.mark.parametrize(("told", "entry"), REFUSED.values(), ids=REFUSED)
def test_t22_a_history_is_not_compacted(told: tuple[Entry, ...], entry: Entry):
    with pytest.raises(InvalidTransitionError):
        apply(story(*told), entry)


def test_what_is_said_after_a_compaction_can_be_compacted_again():
    begun = (asked("a"), ran("a"), compacted("what was"))
    state = story(*begun, asked("b"), ran("b"), compacted("what was then"))
    assert state.task.messages == (UserMessage("what was then"),)

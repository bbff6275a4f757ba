"""Calls that somebody between us and the model refused for their order."""

import pytest
from testbed.story import Told, asked, ran, story

from agent_cli.engine.steps import Awaiting, AwaitUser, CallModel, Rules, next_step, order_refused
from agent_cli.types.entries import Nudged, UserSaid
from agent_cli.types.messages import NudgeMessage
from agent_cli.types.outcomes import Nudge

ORDER = Nudged(Nudge.CALL_ORDER, "split them")
TEXT = asked(text="done, I think")
TABLE: dict[str, tuple[list[Told], bool]] = {
    "at once": ([], True),
    "after tools": ([asked("a"), ran("a")], True),
    "a second time": ([ORDER], True),
    "not a third time": ([ORDER, ORDER], False),
    "other nudges count": ([TEXT, Nudged(Nudge.NO_TOOL), ORDER], False),
    "calls that were made begin anew": ([ORDER, ORDER, asked("a"), ran("a")], True),
    "words of the user begin anew": ([ORDER, ORDER, UserSaid("go on")], True),
}


@pytest.mark.parametrize(("told", "again"), TABLE.values(), ids=list(TABLE))
def test_the_model_is_told_of_the_order_so_often(told: list[Told], *, again: bool):
    task = story(*told).task
    assert order_refused(task, "split them") == (ORDER if again else None)


def test_what_it_is_told_stands_in_the_conversation():
    state = story(ORDER)
    assert state.task.messages[-1] == NudgeMessage(Nudge.CALL_ORDER, "split them")
    assert next_step(state, Rules()) == CallModel()


def test_a_user_is_asked_in_the_end():
    assert next_step(story(ORDER, ORDER, ORDER), Rules()) == AwaitUser(Awaiting.STOPPED_SHORT)

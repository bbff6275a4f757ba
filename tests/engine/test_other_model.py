"""Another model goes on with a session: the state says which is asked, and who has said what."""

import pytest
from testbed.story import BEGINNING, SESSION, Told, asked, ran, story

from agent_cli.engine.state import apply, fold
from agent_cli.engine.task import State
from agent_cli.types.entries import Interrupted, ModelSwitched, Rewound, UserSaid
from agent_cli.types.errors import InvalidTransitionError
from agent_cli.types.messages import AssistantMessage
from agent_cli.types.outcomes import Stop

OTHER = ModelSwitched("other/model")
BACK = ModelSwitched(SESSION.model)
AGAIN = UserSaid("go on")

ASKED: dict[str, tuple[list[Told], str]] = {
    "the one that the session began with": ([], "test/model"),
    "the other one": ([OTHER], "other/model"),
    "the last one": ([OTHER, ModelSwitched("third/model")], "third/model"),
    "the first one again": ([OTHER, BACK], "test/model"),
    "the same one": ([BACK], "test/model"),
    "the other one, when words are taken back": (
        [asked(text="well"), OTHER, AGAIN, Rewound(1)],
        "other/model",
    ),
    "the other one, when work was stopped": ([OTHER, Interrupted(Stop.USER)], "other/model"),
}


@pytest.mark.parametrize(("told", "model"), ASKED.values(), ids=ASKED)
def test_the_model_that_is_asked_is(told: list[Told], model: str):
    assert story(*told).model == model


def test_before_a_session_there_is_no_model():
    assert State().model == State().speaker == ""
    assert fold([SESSION]).model == SESSION.model


def speakers(state: State) -> list[str]:
    return [one.by for one in state.task.messages if isinstance(one, AssistantMessage)]


def test_a_message_says_who_said_it_unless_it_was_the_first_model():
    told: list[Told] = [asked(text="one"), AGAIN, OTHER, asked(text="two"), AGAIN]
    state = story(*told, BACK, asked(text="three"))
    assert speakers(state) == ["", "other/model", ""]


def test_what_was_said_before_is_not_touched():
    before = story(asked("a"), ran("a"))
    after = apply(before, OTHER)
    assert after.tasks is before.tasks
    assert after.points is before.points


def test_nothing_else_is_asked_while_calls_are_open():
    with pytest.raises(InvalidTransitionError, match="at work"):
        story(asked("a"), OTHER)


@pytest.mark.parametrize("told", [[], [OTHER]], ids=["nothing", "only that"])
def test_a_session_begins_with_its_own_model(told: list[ModelSwitched]):
    with pytest.raises(InvalidTransitionError, match="at work"):
        fold([*told, OTHER])


def test_a_session_without_a_task_can_ask_another_one():
    assert fold([*BEGINNING[:1], OTHER]).model == OTHER.model

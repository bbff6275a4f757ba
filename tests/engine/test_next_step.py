"""What is done next, one row per rule."""

import pytest
from testbed.story import (
    Told,
    accepted,
    asked,
    call,
    completion,
    denied,
    ran,
    settled,
    started,
    story,
)

from agent_cli.engine.outcomes import LAW
from agent_cli.engine.state import apply, fold
from agent_cli.engine.steps import (
    Awaiting,
    AwaitUser,
    CallModel,
    Dispatch,
    Finish,
    Rules,
    Settle,
    Step,
    next_step,
)
from agent_cli.engine.task import State
from agent_cli.types.entries import CallFinished, TaskFinished, UserSaid
from agent_cli.types.errors import InvalidTransitionError
from agent_cli.types.messages import ToolResult
from agent_cli.types.outcomes import Code, Outcome

MANY = Rules()
ONE = Rules(calls_per_message=1)
TWO = Rules(calls_per_message=2)


def skipped(call_id: str, code: Code) -> Settle:
    return Settle(call(call_id), Outcome.SKIPPED, code)


def refused(call_id: str = "done") -> Settle:
    return Settle(completion(call_id), Outcome.FAILED, Code.FAILED_EARLIER)


FAILED = ran("a", Outcome.FAILED)
REFUSED = settled("done", Outcome.FAILED, Code.FAILED_EARLIER)
ANSWERED = ran("done", Outcome.OK, Code.FEEDBACK)
REJECTED = settled("a", Outcome.REJECTED)
CUT = call("a", complete=False)

ROWS: dict[str, tuple[list[Told], Rules, Step]] = {
    "the first call": ([asked("a", "b")], MANY, Dispatch(call("a"))),
    "the second call when the first has its result": (
        [asked("a", "b"), ran("a")],
        MANY,
        Dispatch(call("b")),
    ),
    "the second call although the first failed": (
        [asked("a", "b"), FAILED],
        MANY,
        Dispatch(call("b")),
    ),
    "the second call although the first was denied": (
        [asked("a", "b"), denied("a")],
        MANY,
        Dispatch(call("b")),
    ),
    "a call that started and has not ended": (
        [asked("a"), started("a")],
        MANY,
        Dispatch(call("a")),
    ),
    "the model when every call has its result": ([asked("a"), ran("a")], MANY, CallModel()),
    # completion
    "a completion alone": ([asked(completion())], MANY, Dispatch(completion())),
    "a completion after a success": (
        [asked("a", completion()), ran("a")],
        MANY,
        Dispatch(completion()),
    ),
    "refuse a completion after a failure": (
        [asked("a", completion()), FAILED],
        MANY,
        refused(),
    ),
    "refuse a completion after a failure and a success": (
        [asked("a", "b", completion()), FAILED, ran("b")],
        MANY,
        refused(),
    ),
    "refuse a completion after a cut-off call": (
        [asked(CUT, completion()), settled("a", Outcome.FAILED, Code.CUT_OFF)],
        MANY,
        refused(),
    ),
    "the model after a refused completion": (
        [asked("a", completion()), FAILED, REFUSED],
        MANY,
        CallModel(),
    ),
    "a completion in the message after the failure": (
        [
            asked("a", completion("x")),
            FAILED,
            settled("x", Outcome.FAILED, Code.FAILED_EARLIER),
            asked(completion()),
        ],
        MANY,
        Dispatch(completion()),
    ),
    "finish after an accepted completion": (
        [asked(completion()), accepted()],
        MANY,
        Finish("it is done"),
    ),
    "the user when the task is finished": (
        [asked(completion()), accepted(), TaskFinished("it is done")],
        MANY,
        AwaitUser(Awaiting.FINISHED),
    ),
    "the model when the user goes on after the end": (
        [asked(completion()), accepted(), TaskFinished("it is done"), UserSaid("more")],
        MANY,
        CallModel(),
    ),
    "the model after feedback": ([asked(completion()), ANSWERED], MANY, CallModel()),
    # what skips
    "skip after a rejection": (
        [asked("a", "b"), REJECTED],
        MANY,
        skipped("b", Code.REJECTED_EARLIER),
    ),
    "skip the third after a rejection too": (
        [asked("a", "b", "c"), REJECTED, settled("b", Outcome.SKIPPED, Code.REJECTED_EARLIER)],
        MANY,
        skipped("c", Code.REJECTED_EARLIER),
    ),
    "skip a completion after a rejection": (
        [asked("a", completion()), REJECTED],
        MANY,
        Settle(completion(), Outcome.SKIPPED, Code.REJECTED_EARLIER),
    ),
    "run again in the message after a rejection": (
        [asked("a"), REJECTED, asked("b")],
        MANY,
        Dispatch(call("b")),
    ),
    "skip after an accepted completion": (
        [asked(completion(), "b"), accepted()],
        MANY,
        skipped("b", Code.FINISHED),
    ),
    "skip the third after an accepted completion too": (
        [asked(completion(), "b", "c"), accepted(), settled("b", Outcome.SKIPPED, Code.FINISHED)],
        MANY,
        skipped("c", Code.FINISHED),
    ),
    "finish when what followed the completion is skipped": (
        [asked(completion(), "b"), accepted(), settled("b", Outcome.SKIPPED, Code.FINISHED)],
        MANY,
        Finish("it is done"),
    ),
    "skip after a refused completion": (
        [asked("a", completion(), "b"), FAILED, REFUSED],
        MANY,
        skipped("b", Code.FAILED_EARLIER),
    ),
    "skip after feedback": (
        [asked(completion(), "b"), ANSWERED],
        MANY,
        skipped("b", Code.FEEDBACK),
    ),
    "skip with the first reason": (
        [asked("a", "b", "c"), REJECTED, settled("b", Outcome.INTERRUPTED, Code.INTERRUPTED)],
        MANY,
        skipped("c", Code.REJECTED_EARLIER),
    ),
    # one call per message
    "the only call": ([asked("a")], ONE, Dispatch(call("a"))),
    "one call per message": (
        [asked("a", "b"), ran("a")],
        ONE,
        skipped("b", Code.ONE_CALL_PER_MESSAGE),
    ),
    "one call per message, the third too": (
        [
            asked("a", "b", "c"),
            ran("a"),
            settled("b", Outcome.SKIPPED, Code.ONE_CALL_PER_MESSAGE),
        ],
        ONE,
        skipped("c", Code.ONE_CALL_PER_MESSAGE),
    ),
    "one call per message, even if the first failed": (
        [asked("a", "b"), FAILED],
        ONE,
        skipped("b", Code.ONE_CALL_PER_MESSAGE),
    ),
    "one call per message, even a completion": (
        [asked("a", completion()), ran("a")],
        ONE,
        Settle(completion(), Outcome.SKIPPED, Code.ONE_CALL_PER_MESSAGE),
    ),
    "two calls per message: the second": ([asked("a", "b"), ran("a")], TWO, Dispatch(call("b"))),
    "two calls per message: the third": (
        [asked("a", "b", "c"), ran("a"), ran("b")],
        TWO,
        skipped("c", Code.ONE_CALL_PER_MESSAGE),
    ),
    "one call per message counts from anew": (
        [asked("a"), ran("a"), asked("b")],
        ONE,
        Dispatch(call("b")),
    ),
    "a rejection says more than one call per message": (
        [asked("a", "b"), REJECTED],
        ONE,
        skipped("b", Code.REJECTED_EARLIER),
    ),
    # calls that were cut off
    "a cut-off call never runs": ([asked(CUT)], MANY, Settle(CUT, Outcome.FAILED, Code.CUT_OFF)),
    "a cut-off completion is cut off first": (
        [asked("a", completion(complete=False)), FAILED],
        MANY,
        Settle(completion(complete=False), Outcome.FAILED, Code.CUT_OFF),
    ),
}


@pytest.mark.parametrize(("told", "rules", "expected"), ROWS.values(), ids=ROWS)
def test_the_next_step_is(told: list[Told], rules: Rules, expected: Step):
    assert next_step(story(*told), rules) == expected


@pytest.mark.invariant("I5", "I6")
@pytest.mark.parametrize("outcome", Outcome)
def test_every_outcome_blocks_and_skips_as_the_law_says(outcome: Outcome):
    law = LAW[outcome]
    state = story(asked("a", completion()), ran("a", outcome))
    step = next_step(state, MANY)
    if law.skips is not None:
        assert step == Settle(completion(), Outcome.SKIPPED, law.skips)
    elif law.blocks:
        assert step == refused()
    else:
        assert step == Dispatch(completion())


def test_a_step_before_the_first_task_is_refused():
    with pytest.raises(InvalidTransitionError, match="no task has started"):
        next_step(State(), MANY)


def test_every_settled_step_is_accepted_by_the_state():
    for told, rules, _ in ROWS.values():
        state = story(*told)
        step = next_step(state, rules)
        while isinstance(step, Settle):
            result = ToolResult(step.call.id, step.outcome, step.code)
            state = apply(state, CallFinished(result))
            step = next_step(state, rules)
        assert fold([], state) == state

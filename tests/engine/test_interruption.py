"""What becomes of open calls when work is interrupted, whatever interrupted it."""

import pytest
from testbed.story import Told, accepted, asked, call, completion, ran, settled, started, story

from agent_cli.engine.steps import Awaiting, AwaitUser, CallModel, Rules, Settle, Step, next_step
from agent_cli.types.entries import BudgetStopped, Interrupted, UserSaid
from agent_cli.types.outcomes import Code, Limit, Outcome, Stop

STOPPED = Interrupted(Stop.USER)
KILLED = Interrupted(Stop.KILLED)
MANY = Rules()

ROWS: dict[str, tuple[list[Told], Rules, Step]] = {
    "an interrupted call that did not start": (
        [asked("a"), STOPPED],
        MANY,
        Settle(call("a"), Outcome.INTERRUPTED, Code.INTERRUPTED),
    ),
    "an interrupted call without effects": (
        [asked("a"), started("a"), STOPPED],
        MANY,
        Settle(call("a"), Outcome.INTERRUPTED, Code.INTERRUPTED),
    ),
    "an interrupted call with effects": (
        [asked("a"), started("a", effectful=True), STOPPED],
        MANY,
        Settle(call("a"), Outcome.UNKNOWN, Code.INTERRUPTED),
    ),
    "a killed call that did not start": (
        [asked("a"), KILLED],
        MANY,
        Settle(call("a"), Outcome.INTERRUPTED, Code.KILLED),
    ),
    "a killed call with effects": (
        [asked("a"), started("a", effectful=True), KILLED],
        MANY,
        Settle(call("a"), Outcome.UNKNOWN, Code.KILLED),
    ),
    "the calls after an interrupted one": (
        [
            asked("a", "b"),
            started("a", effectful=True),
            STOPPED,
            settled("a", Outcome.UNKNOWN, Code.INTERRUPTED),
        ],
        MANY,
        Settle(call("b"), Outcome.INTERRUPTED, Code.INTERRUPTED),
    ),
    "the user when everything is settled": (
        [asked("a"), STOPPED, settled("a", Outcome.INTERRUPTED, Code.INTERRUPTED)],
        MANY,
        AwaitUser(Awaiting.INTERRUPTED),
    ),
    "the model when the user goes on after an interruption": (
        [
            asked("a"),
            STOPPED,
            settled("a", Outcome.INTERRUPTED, Code.INTERRUPTED),
            UserSaid("go on"),
        ],
        MANY,
        CallModel(),
    ),
    "the user when the model was interrupted": ([STOPPED], MANY, AwaitUser(Awaiting.INTERRUPTED)),
    "the user when the end was interrupted": (
        [asked(completion()), accepted(), KILLED],
        MANY,
        AwaitUser(Awaiting.INTERRUPTED),
    ),
    "the model when the user goes on after an interrupted end": (
        [asked(completion()), accepted(), KILLED, UserSaid("go on")],
        MANY,
        CallModel(),
    ),
    "interruption says more than rejection": (
        [asked("a", "b"), settled("a", Outcome.REJECTED), STOPPED],
        MANY,
        Settle(call("b"), Outcome.INTERRUPTED, Code.INTERRUPTED),
    ),
    "interruption says more than one call per message": (
        [asked("a", "b"), ran("a"), STOPPED],
        Rules(calls_per_message=1),
        Settle(call("b"), Outcome.INTERRUPTED, Code.INTERRUPTED),
    ),
    "interruption says more than a limit": (
        [BudgetStopped(Limit.COST), STOPPED],
        MANY,
        AwaitUser(Awaiting.INTERRUPTED),
    ),
}


@pytest.mark.parametrize(("told", "rules", "expected"), ROWS.values(), ids=ROWS)
def test_the_next_step_is(told: list[Told], rules: Rules, expected: Step):
    assert next_step(story(*told), rules) == expected


@pytest.mark.invariant("I4")
@pytest.mark.parametrize("reason", [stop for stop in Stop if stop is not Stop.KILLED])
def test_only_a_kill_is_told_as_a_kill(reason: Stop):
    state = story(asked("a"), Interrupted(reason))
    assert next_step(state, MANY) == Settle(call("a"), Outcome.INTERRUPTED, Code.INTERRUPTED)

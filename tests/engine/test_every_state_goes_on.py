"""L1, model-checked: no state of a session has no way out.

All states are visited that a few kinds of messages, results, interruptions and words can lead to.
Two states are the same if they differ in nothing that decides what comes next. From each of them
one message of the user leads to a request, or to the limit that forbids one.
"""

from collections.abc import Iterator
from typing import Any

import pytest
from testbed.liveness import a_message_leads_on, done_alone
from testbed.story import SESSION, allowed, call, completion, cut_off, denied, ran, settled

from agent_cli.engine.budget import Budget
from agent_cli.engine.outcomes import COMPLETION
from agent_cli.engine.state import fold
from agent_cli.engine.steps import AwaitUser, CallModel, Dispatch, Rules, next_step
from agent_cli.engine.subtasks import SUBTASK
from agent_cli.engine.task import State, Task
from agent_cli.types.entries import (
    AssistantSaid,
    CallFinished,
    CallStarted,
    Entry,
    FilesChanged,
    Interrupted,
    TaskStarted,
    TurnRulesSet,
    UserSaid,
)
from agent_cli.types.evidence import FileChange, FileVersion
from agent_cli.types.messages import AssistantMessage, StopReason, Text, ToolCall, ToolResult
from agent_cli.types.outcomes import Code, Outcome, Stop
from agent_cli.types.queued_input import InputQueued
from agent_cli.types.turn_rules import OnFailure, TurnRules

Told = tuple[Entry, ...]
CASES = {
    "nobody there": (Rules(), TurnRules()),
    "somebody there": (Rules(interactive=True), TurnRules()),
    "one call a message": (Rules(calls_per_message=1), TurnRules()),
    "a limit": (Rules(budget=Budget(turns=2)), TurnRules()),
    "stop": (Rules(), TurnRules(OnFailure.STOP)),
    "rollback": (Rules(), TurnRules(OnFailure.ROLLBACK)),
}
MADE = FileChange("a", None, FileVersion("0", 0o644))
SAMPLE = 1000
"""States of one case, the ones that are fewest steps away first; all of them are too many for
every commit."""


def messages(state: State) -> Iterator[Told]:
    new = f"c{len(state.ids)}"
    yield from [(said(text="well"),), (said(),), (cut_off("we"),)]
    yield (said(call(new)),)
    yield (said(call(new, complete=False)),)
    yield (said(completion(new)),)
    yield (said(call(new), completion(f"{new}d")),)
    yield (said(call(new, SUBTASK), call(f"{new}r")),)


def said(*calls: ToolCall, text: str = "") -> AssistantSaid:
    reason = StopReason.CALLS if calls else StopReason.END
    blocks = (Text(text), *calls) if text else calls
    return AssistantSaid(AssistantMessage(blocks, reason))


def of_call(state: State, one: ToolCall) -> Iterator[Told]:
    if state.task.started is None:
        yield denied(one.id)
        yield (settled(one.id, Outcome.REJECTED),)
        yield (allowed(one.id), CallStarted(one.id, effectful=True))
        return
    if not state.task.changed:
        failed = CallFinished(ToolResult(one.id, Outcome.FAILED))
        yield (FilesChanged(one.id, (MADE,)), failed)
    yield ran(one.id, Outcome.FAILED)[2:]
    if one.name == COMPLETION:
        yield (CallFinished(ToolResult(one.id, Outcome.OK, Code.FINISHED), completion="done"),)
        yield (CallFinished(ToolResult(one.id, Outcome.OK, Code.FEEDBACK, "more")),)
    elif one.name == SUBTASK and len(state.tasks) < 2:
        yield (TaskStarted("ask", one.id, "do a part"),)
    else:
        yield ran(one.id)[2:]


def what_can_follow(state: State, rules: Rules) -> Iterator[Told]:
    if not state.queued:
        yield (InputQueued("and this"),)
    step = next_step(state, rules)
    match step:
        case AwaitUser():
            yield (UserSaid("go on"),)
            return
        case CallModel():
            yield from messages(state)
        case Dispatch(one):
            yield from of_call(state, one)
        case _:
            yield (done_alone(step, state),)
    yield from ((Interrupted(Stop.USER),), (Interrupted(Stop.KILLED),))


def kind_of(state: State, rules: Rules) -> Any:
    """What of a state decides what comes next."""
    turns = None if rules.budget.turns is None else min(state.turns, rules.budget.turns)
    return turns, bool(state.queued), tuple(map(kind_of_task, state.tasks))


def kind_of_task(task: Task) -> Any:
    last = task.messages[-1] if task.messages else None
    message = (last.stop_reason, bool(last.text)) if isinstance(last, AssistantMessage) else None
    return (
        tuple((one.name, one.complete) for one in task.open_calls),
        (type(last), message, task.started is None, task.decided is None, bool(task.changed)),
        (task.blocked, task.failed, task.skipping, task.stop, task.limit, task.used_tool),
        (task.nudges, min(task.barren, 2), min(task.refused, 2), bool(task.answered)),
        (task.completion is None, task.result is None),
    )


def visited(rules: Rules, turn_rules: TurnRules, most: int) -> int:
    """Send a message from every state, or from so many; return how many there were."""
    begun = fold([SESSION, TurnRulesSet(turn_rules), TaskStarted("code")])
    seen = {kind_of(begun, rules)}
    states = [begun]
    for state in states:  # grows while it is gone through
        a_message_leads_on(state, rules)
        for told in what_can_follow(state, rules):
            after = fold(told, state)
            kind = kind_of(after, rules)
            if kind not in seen and len(states) < most:
                seen.add(kind)
                states.append(after)
    return len(states)


@pytest.mark.invariant("L1")
@pytest.mark.parametrize(("rules", "turn_rules"), CASES.values(), ids=CASES)
def test_a_message_of_the_user_leads_on(rules: Rules, turn_rules: TurnRules):
    assert visited(rules, turn_rules, SAMPLE) == SAMPLE


@pytest.mark.nightly
@pytest.mark.invariant("L1")
@pytest.mark.parametrize(("rules", "turn_rules"), CASES.values(), ids=CASES)
def test_a_message_of_the_user_leads_on_from_every_state(rules: Rules, turn_rules: TurnRules):
    most = 100_000
    assert SAMPLE < visited(rules, turn_rules, most) < most

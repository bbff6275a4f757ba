"""What to do next: a pure function of the state, decided from top to bottom.

The runtime performs the step and appends what happened; it never decides.
"""

from enum import StrEnum
from typing import TypeAlias

from msgspec import Struct

from agent_cli.engine.outcomes import COMPLETION
from agent_cli.engine.task import State, Task
from agent_cli.types.messages import AssistantMessage, StopReason, ToolCall
from agent_cli.types.outcomes import Code, Limit, Nudge, Outcome, Stop

MOST_NUDGES = 2
"""In a row; one if no tool was ever used."""

MOST_BARREN = 8
"""Messages in a row whose calls all failed, or whose completion was refused, after which a person
has to look."""

REPEATS_UNTIL_ASKED = 3
"""Identical calls with identical results, after which the next one is asked about."""


class Rules(Struct, frozen=True):
    """What of the settings decides steps."""

    calls_per_message: int | None = None
    """None: as many as the model makes."""
    interactive: bool = False
    """A text without a call hands the floor back to the user instead of nudging the model."""
    max_turns: int | None = None
    max_cost: float | None = None
    """US dollars."""


class Awaiting(StrEnum):
    """Why the user has the floor."""

    FIRST = "first"
    FINISHED = "finished"
    FLOOR = "floor"
    STOPPED_SHORT = "stopped_short"
    STUCK = "stuck"
    INTERRUPTED = "interrupted"
    LIMIT = "limit"


class CallModel(Struct, frozen=True):
    pass


class Dispatch(Struct, frozen=True):
    call: ToolCall
    repeats: int = 0
    """How often exactly this call has had exactly the same result, in a row."""


class Settle(Struct, frozen=True):
    """Answer the call without running it."""

    call: ToolCall
    outcome: Outcome
    code: Code


class NudgeModel(Struct, frozen=True):
    code: Nudge


class Finish(Struct, frozen=True):
    result: str


class StopForBudget(Struct, frozen=True):
    limit: Limit


class AwaitUser(Struct, frozen=True):
    reason: Awaiting


Step: TypeAlias = CallModel | Dispatch | Settle | NudgeModel | Finish | StopForBudget | AwaitUser


def next_step(state: State, rules: Rules) -> Step:
    """Return what is to be done now; raises InvalidTransitionError before the first task."""
    task = state.task
    if task.open_calls:
        return _next_call(task, rules)
    if task.stop is not None:
        return AwaitUser(Awaiting.INTERRUPTED)
    if task.completion is not None:
        return Finish(task.completion)
    if task.result is not None:
        return AwaitUser(Awaiting.FINISHED)
    if task.limit is not None:
        return AwaitUser(Awaiting.LIMIT)
    return _next_message(state, task, rules)


def _next_call(task: Task, rules: Rules) -> Step:
    call = task.open_calls[0]
    if task.stop is not None:
        return _stopped(task, call, task.stop)
    if task.skipping is not None:
        return Settle(call, Outcome.SKIPPED, task.skipping)
    if rules.calls_per_message is not None and task.answered >= rules.calls_per_message:
        return Settle(call, Outcome.SKIPPED, Code.ONE_CALL_PER_MESSAGE)
    if not call.complete:
        return Settle(call, Outcome.FAILED, Code.CUT_OFF)
    if call.name == COMPLETION and task.blocked:
        return Settle(call, Outcome.FAILED, Code.FAILED_EARLIER)
    return Dispatch(call, _repeats(task, call))


def _stopped(task: Task, call: ToolCall, stop: Stop) -> Step:
    code = Code.KILLED if stop is Stop.KILLED else Code.INTERRUPTED
    if task.started is not None and task.started.effectful:
        return Settle(call, Outcome.UNKNOWN, code)
    return Settle(call, Outcome.INTERRUPTED, code)


def _repeats(task: Task, call: ToolCall) -> int:
    last = task.last
    if last is None or (last.name, last.arguments) != (call.name, call.arguments):
        return 0
    return task.repeats


def _next_message(state: State, task: Task, rules: Rules) -> Step:
    if not task.messages:
        return AwaitUser(Awaiting.FIRST)
    last = task.messages[-1]
    if isinstance(last, AssistantMessage):
        return _after_text(task, last, rules)
    if task.nudges > MOST_NUDGES:
        return AwaitUser(Awaiting.STOPPED_SHORT)
    if max(task.barren, task.refused) >= MOST_BARREN:
        return AwaitUser(Awaiting.STUCK)
    limit = _limit(state, rules)
    return CallModel() if limit is None else StopForBudget(limit)


def _after_text(task: Task, last: AssistantMessage, rules: Rules) -> Step:
    nudge = _nudge(last)
    if nudge is Nudge.NO_TOOL and rules.interactive:
        return AwaitUser(Awaiting.FLOOR)
    if task.nudges < (MOST_NUDGES if task.used_tool else 1):
        return NudgeModel(nudge)
    return AwaitUser(Awaiting.STOPPED_SHORT)


def _nudge(message: AssistantMessage) -> Nudge:
    if message.stop_reason is StopReason.LENGTH:
        return Nudge.CUT_OFF
    return Nudge.NO_TOOL if message.text.strip() else Nudge.EMPTY


def _limit(state: State, rules: Rules) -> Limit | None:
    if rules.max_turns is not None and state.turns >= rules.max_turns:
        return Limit.TURNS
    if rules.max_cost is not None and (state.spent.cost or 0.0) >= rules.max_cost:
        return Limit.COST
    return None

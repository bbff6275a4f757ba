"""What to do next: a pure function of the state, decided from top to bottom.

The runtime performs the step and appends what happened; it never decides.
"""

from enum import StrEnum
from typing import TypeAlias

from msgspec import Struct

from agent_cli.engine.budget import Budget, used_up
from agent_cli.engine.outcomes import COMPLETION
from agent_cli.engine.subtasks import MOST_SUBTASKS, MOST_TASKS, SUBTASK
from agent_cli.engine.task import State, Task
from agent_cli.types.entries import Nudged
from agent_cli.types.messages import AssistantMessage, StopReason, ToolCall
from agent_cli.types.outcomes import Code, Limit, Nudge, Outcome, Stop
from agent_cli.types.turn_rules import OnFailure, Scope

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
    open_todos_block: bool = False
    """A task with open to-dos cannot be completed."""
    budget: Budget = Budget()


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
    detail: str = ""


class NudgeModel(Struct, frozen=True):
    code: Nudge


class Finish(Struct, frozen=True):
    result: str


class StopForBudget(Struct, frozen=True):
    limit: Limit


class ReturnToParent(Struct, frozen=True):
    """Answer the call that waits for the running subtask."""

    call_id: str
    outcome: Outcome
    code: Code
    result: str = ""
    """Of the subtask, if it completed."""
    awaiting: Awaiting = Awaiting.FINISHED
    """Why it ended."""


class RollBack(Struct, frozen=True):
    """Restore what the last message changed."""


class DeliverInput(Struct, frozen=True):
    """Say to the model what the user said while it was at work."""

    text: str


class AwaitUser(Struct, frozen=True):
    reason: Awaiting


Step: TypeAlias = (
    CallModel
    | Dispatch
    | Settle
    | NudgeModel
    | Finish
    | ReturnToParent
    | RollBack
    | DeliverInput
    | StopForBudget
    | AwaitUser
)


def next_step(state: State, rules: Rules) -> Step:
    """Return what is to be done now; raises InvalidTransitionError before the first task."""
    task = state.task
    if task.open_calls:
        return _next_call(state, task, rules)
    if task.stop is not None:
        return AwaitUser(Awaiting.INTERRUPTED)
    if task.completion is not None:
        return Finish(task.completion)
    if task.result is not None and task.parent_call_id:
        return _returning(task, Awaiting.FINISHED)
    if task.limit is not None:
        return AwaitUser(Awaiting.LIMIT)
    if state.queued:
        return DeliverInput(state.queued[0])
    if task.result is not None:
        return AwaitUser(Awaiting.FINISHED)
    return _without_a_person(_next_message(state, task, rules), task, rules)


def order_refused(task: Task, why: str) -> Nudged | None:
    """Return what tells the model that its calls were refused for their order.

    None if it has been told as often as it is nudged at all.
    """
    return Nudged(Nudge.CALL_ORDER, why) if task.nudges < MOST_NUDGES else None


def _next_call(state: State, task: Task, rules: Rules) -> Step:
    call = task.open_calls[0]
    if task.stop is not None:
        return _stopped(task, call, task.stop)
    if task.skipping is not None:
        return Settle(call, Outcome.SKIPPED, task.skipping)
    if rules.calls_per_message is not None and task.answered >= rules.calls_per_message:
        return Settle(call, Outcome.SKIPPED, Code.ONE_CALL_PER_MESSAGE)
    if not call.complete:
        return Settle(call, Outcome.FAILED, Code.CUT_OFF)
    if call.name == COMPLETION:
        return _guarded(state, task, call, rules)
    if task.failed and state.turn_rules.on_failure is not OnFailure.CONTINUE:
        return Settle(call, Outcome.SKIPPED, Code.STOPPED)
    if call.name == SUBTASK and _too_many(state, task):
        return Settle(call, Outcome.FAILED, Code.TOO_MANY_SUBTASKS)
    return Dispatch(call, _repeats(task, call))


def _guarded(state: State, task: Task, call: ToolCall, rules: Rules) -> Step:
    """Refuse a completion that was not earned."""
    if task.blocked:
        return Settle(call, Outcome.FAILED, Code.FAILED_EARLIER)
    if state.turn_rules.scope is Scope.RESOLVED and task.unresolved:
        open_ones = "\n".join(f"- {name} {target}".rstrip() for name, target in task.unresolved)
        return Settle(call, Outcome.FAILED, Code.UNRESOLVED, open_ones)
    if rules.open_todos_block:
        left = [todo.text for todo in task.todos if todo.status != "completed"]
        if left:
            todos = "\n".join(f"- {text}" for text in left)
            return Settle(call, Outcome.FAILED, Code.OPEN_TODOS, todos)
    return Dispatch(call, _repeats(task, call))


def _too_many(state: State, task: Task) -> bool:
    return len(state.tasks) >= MOST_TASKS or task.subtasks >= MOST_SUBTASKS


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


def _returning(task: Task, why: Awaiting) -> ReturnToParent:
    if task.result is not None:
        ok, done = Outcome.OK, Code.SUBTASK_COMPLETED
        return ReturnToParent(task.parent_call_id, ok, done, task.result)
    return ReturnToParent(task.parent_call_id, Outcome.FAILED, Code.SUBTASK_FAILED, awaiting=why)


def _without_a_person(step: Step, task: Task, rules: Rules) -> Step:
    """Let a subtask that got stuck fail, where nobody is there to help it on."""
    if not task.parent_call_id or rules.interactive:
        return step
    stuck = (Awaiting.STOPPED_SHORT, Awaiting.STUCK)
    if isinstance(step, AwaitUser) and step.reason in stuck:
        return _returning(task, step.reason)
    return step


def _next_message(state: State, task: Task, rules: Rules) -> Step:
    if not task.messages:
        return AwaitUser(Awaiting.FIRST)
    if task.failed and task.changed and state.turn_rules.on_failure is OnFailure.ROLLBACK:
        return RollBack()
    last = task.messages[-1]
    if isinstance(last, AssistantMessage):
        return _after_text(task, last, rules)
    if task.nudges > MOST_NUDGES:
        return AwaitUser(Awaiting.STOPPED_SHORT)
    if max(task.barren, task.refused) >= MOST_BARREN:
        return AwaitUser(Awaiting.STUCK)
    limit = used_up(state, rules.budget)
    if limit is None:
        return CallModel()
    if limit.of_subtask:
        return _returning(task, Awaiting.LIMIT)
    return StopForBudget(limit.limit)


def _after_text(task: Task, last: AssistantMessage, rules: Rules) -> Step:
    nudge = _nudge(last)
    if nudge is Nudge.NO_TOOL and rules.interactive:
        return AwaitUser(Awaiting.FLOOR)
    if task.nudges < (MOST_NUDGES if task.used_tool else 1):
        return NudgeModel(nudge)
    return AwaitUser(Awaiting.STOPPED_SHORT)


def _nudge(last: AssistantMessage) -> Nudge:
    if last.stop_reason is StopReason.LENGTH:
        return Nudge.CUT_OFF
    return Nudge.NO_TOOL if last.text.strip() else Nudge.EMPTY

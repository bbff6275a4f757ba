"""Session state, folded from journal entries.

Rule 1: state changes only here, and only by applying an entry.
Rule 2: applying an entry that contradicts the state raises, so a journal that loads is valid.
Rule 3: a result is accepted only for the first open call, so every call has exactly one, in order.
"""

from collections.abc import Iterable

from msgspec.structs import replace

from agent_cli.engine.outcomes import LAW, Ran, skips
from agent_cli.engine.task import Last, State, Task
from agent_cli.types.approval import Decision
from agent_cli.types.effects import Effect
from agent_cli.types.entries import (
    AssistantSaid,
    BudgetStopped,
    CallDecided,
    CallFinished,
    CallStarted,
    Entry,
    Interrupted,
    ModeSwitched,
    Nudged,
    ParallelSwitched,
    RuleGranted,
    SessionStarted,
    TaskFinished,
    TaskStarted,
    TodosUpdated,
    UserSaid,
)
from agent_cli.types.errors import InvalidTransitionError
from agent_cli.types.messages import (
    AssistantMessage,
    NudgeMessage,
    ToolCall,
    ToolResult,
    UserMessage,
)
from agent_cli.types.outcomes import Code, Outcome


def fold(entries: Iterable[Entry], state: State | None = None) -> State:
    """Return the state after all entries; raises InvalidTransitionError at the first bad one."""
    current = state or State()
    for entry in entries:
        current = apply(current, entry)
    return current


def apply(state: State, entry: Entry) -> State:
    """Return the state after the entry; raises InvalidTransitionError and changes nothing."""
    match entry:
        case SessionStarted():
            _demand(state.session is None, "the session has started already")
            return replace(state, session=entry, parallel=entry.parallel_tool_calls)
        case TaskStarted():
            return _push(state, entry)
        case RuleGranted():
            return replace(state, granted=(*state.granted, entry.rule))
        case ParallelSwitched():
            return replace(state, parallel=entry.on)
        case AssistantSaid():
            return _assistant_said(state, entry.message)
        case CallDecided() | CallStarted() | CallFinished():
            return _with_task(state, _call(state.task, entry))
        case _:
            return _with_task(state, _conversation(state.task, entry))


def is_repeated(task: Task, call: ToolCall, result: ToolResult) -> bool:
    """Whether the call that ran last was this very call, with this very result."""
    return task.last == _last(call, result)


def _demand(condition: bool, message: str) -> None:  # noqa: FBT001 - reads like assert
    if not condition:
        raise InvalidTransitionError(message)


def _with_task(state: State, task: Task) -> State:
    return replace(state, tasks=(*state.tasks[:-1], task))


def _push(state: State, entry: TaskStarted) -> State:
    _demand(state.session is not None, "a task started before its session")
    _demand(not state.tasks, "the task has started already")
    return replace(state, tasks=(Task(mode=entry.mode),))


def _assistant_said(state: State, message: AssistantMessage) -> State:
    task = state.task
    _demand(not task.open_calls, "the model spoke while calls were open")
    _demand(bool(task.messages), "the model spoke before anybody")
    over = task.completion is not None or task.result is not None
    _demand(task.stop is None and not over, "the model spoke when it was not asked")
    ids = [call.id for call in message.calls]
    _demand(
        len(set(ids)) == len(ids) and state.ids.isdisjoint(ids),
        f"call ids are not unique: {ids!r}",
    )
    calls = message.calls
    led_nowhere = bool(calls) and not any(call.complete for call in calls)
    spoken = replace(
        task,
        messages=(*task.messages, message),
        open_calls=calls,
        answered=0,
        blocked=False,
        skipping=None,
        nudges=task.nudges + led_nowhere if led_nowhere or not calls else 0,
        barren=task.barren + 1 if calls else task.barren,
        refused=task.refused if task.skipping is Code.FAILED_EARLIER else 0,
    )
    return replace(
        _with_task(state, spoken),
        ids=state.ids.union(ids) if ids else state.ids,
        spent=state.spent + message.usage,
        turns=state.turns + 1,
    )


def _conversation(task: Task, entry: Entry) -> Task:
    match entry:
        case UserSaid():
            return _user_said(task, entry)
        case Nudged():
            _demand(not task.open_calls, "nudged while calls were open")
            nudge = NudgeMessage(entry.code)
            return replace(task, messages=(*task.messages, nudge), nudges=task.nudges + 1)
        case TodosUpdated():
            return replace(task, todos=entry.todos)
        case ModeSwitched():
            return replace(task, mode=entry.mode)
        case BudgetStopped():
            return replace(task, limit=entry.limit)
        case TaskFinished():
            _demand(not task.open_calls, "finished while calls were open")
            _demand(task.completion == entry.result, "finished without an accepted completion")
            return replace(task, completion=None, result=entry.result)
        case Interrupted():
            return replace(task, stop=entry.reason)
        case _:
            raise InvalidTransitionError(f"unexpected entry {entry!r}")


def _user_said(task: Task, entry: UserSaid) -> Task:
    _demand(not task.open_calls, "the user spoke while calls were open")
    _demand(
        task.completion is None or task.stop is not None,
        "the user spoke before the task was finished",
    )
    text = f"{entry.text}\n\n{entry.environment}" if entry.environment else entry.text
    return replace(
        task,
        messages=(*task.messages, UserMessage(text, entry.images)),
        nudges=0,
        barren=0,
        refused=0,
        stop=None,
        limit=None,
        completion=None,
        result=None,
    )


def _call(task: Task, entry: CallDecided | CallStarted | CallFinished) -> Task:
    call_id = entry.result.call_id if isinstance(entry, CallFinished) else entry.call_id
    _demand(
        bool(task.open_calls) and task.open_calls[0].id == call_id,
        f"{call_id!r} is not the first open call",
    )
    if isinstance(entry, CallFinished):
        return _finished(task, task.open_calls[0], entry)
    _demand(task.started is None, f"{call_id!r} has started already")
    if isinstance(entry, CallDecided):
        return replace(task, decided=entry)
    allowed = task.decided is not None and task.decided.decision is Decision.ALLOW
    _demand(allowed, f"{call_id!r} started without leave")
    _demand(task.skipping is None, f"{call_id!r} started though it is to be skipped")
    return replace(task, started=entry, used_tool=True)


def _finished(task: Task, call: ToolCall, entry: CallFinished) -> Task:
    result = entry.result
    law = LAW[result.outcome]
    _demand(law.ran is not Ran.YES or task.started is not None, f"{call.id!r} ended unstarted")
    finished = result.outcome is Outcome.OK and result.code is Code.FINISHED
    _demand(
        (entry.completion is not None) == finished,
        f"{call.id!r} completes the task without a result, or gives one without completing it",
    )
    _demand(not (finished and task.blocked), f"{call.id!r} completes the task after a failure")
    last, repeats = _repetition(task, call, result)
    return replace(
        task,
        messages=(*task.messages, result),
        open_calls=task.open_calls[1:],
        answered=task.answered + 1,
        decided=None,
        started=None,
        blocked=task.blocked or law.blocks,
        skipping=task.skipping or skips(result.outcome, result.code),
        completion=entry.completion if finished else task.completion,
        barren=0 if result.outcome is Outcome.OK else task.barren,
        refused=task.refused + _is_refused(result),
        last=last,
        repeats=repeats,
        denials=_denials(task, call, result.outcome),
    )


def _is_refused(result: ToolResult) -> bool:
    # what is skipped after it has the same code
    return (result.outcome, result.code) == (Outcome.FAILED, Code.FAILED_EARLIER)


def _repetition(task: Task, call: ToolCall, result: ToolResult) -> tuple[Last | None, int]:
    if task.started is None:
        return task.last, task.repeats
    return _last(call, result), task.repeats + 1 if is_repeated(task, call, result) else 1


def _last(call: ToolCall, result: ToolResult) -> Last:
    return Last(call.name, call.arguments, result.outcome, result.content)


def _denials(task: Task, call: ToolCall, outcome: Outcome) -> tuple[tuple[str, str], ...]:
    effects: tuple[Effect, ...] = task.decided.effects if task.decided else ()
    targets = {(call.name, effect.target) for effect in effects} or {(call.name, "")}
    if outcome is Outcome.DENIED:
        return (*task.denials, *sorted(targets.difference(task.denials)))
    if outcome is Outcome.OK and task.denials:
        return tuple(denial for denial in task.denials if denial not in targets)
    return task.denials

"""Session state, folded from journal entries.

Rule 1: state changes only here, and only by applying an entry.
Rule 2: applying an entry that contradicts the state raises, so a journal that loads is valid.
Rule 3: a result is accepted only for the first open call, so every call has exactly one, in order.
"""

from collections.abc import Iterable

from msgspec.structs import replace

from agent_cli.engine.ahead import verdict_given
from agent_cli.engine.calls import apply_to_call, is_repeated
from agent_cli.engine.conversation import assistant_said, converse
from agent_cli.engine.demand import demand
from agent_cli.engine.evidence import root_evidence
from agent_cli.engine.subtasks import push, returned, waits_for
from agent_cli.engine.task import Spent, State, Task
from agent_cli.engine.window import compacted
from agent_cli.types.approval import ApprovalMode
from agent_cli.types.entries import (
    ApprovalSwitched,
    AssistantSaid,
    AttemptLost,
    CallDecided,
    CallFinished,
    CallStarted,
    CheckRun,
    Entry,
    FilesChanged,
    HistoryCompacted,
    ModelSwitched,
    ParallelSwitched,
    PreImageKept,
    Rewound,
    RuleGranted,
    SessionRenamed,
    SessionStarted,
    TaskStarted,
    TurnRulesSet,
    UserSaid,
    VerdictGiven,
)
from agent_cli.types.queued_input import InputQueued, InputUnqueued

__all__ = ["apply", "fold", "is_repeated"]


def fold(entries: Iterable[Entry], state: State | None = None) -> State:
    """Return the state after all entries; raises InvalidTransitionError at the first bad one."""
    current = state or State()
    for entry in entries:
        current = apply(current, entry)
    return current


def apply(state: State, entry: Entry) -> State:
    """Return the state after the entry; raises InvalidTransitionError and changes nothing."""
    match entry:
        case AssistantSaid() | UserSaid() | Rewound() | HistoryCompacted():
            return _exchange(state, entry)
        case CallDecided() | CallStarted() | CheckRun() | PreImageKept() | FilesChanged():
            return _with_task(state, apply_to_call(state.task, entry, state.turn_rules))
        case VerdictGiven():
            return _with_task(state, verdict_given(state.task, entry))
        case CallFinished():
            return _finished(state, entry)
        case TaskStarted():
            return push(state, entry)
        case (
            SessionStarted()
            | SessionRenamed()
            | RuleGranted()
            | InputQueued()
            | InputUnqueued()
            | AttemptLost()
        ):
            return _session(state, entry)
        case TurnRulesSet() | ApprovalSwitched() | ParallelSwitched() | ModelSwitched():
            return _switched(state, entry)
        case _:
            return _with_task(state, converse(state.task, entry))


def _with_task(state: State, task: Task) -> State:
    return replace(state, tasks=(*state.tasks[:-1], task))


def _session(
    state: State,
    entry: SessionStarted
    | SessionRenamed
    | RuleGranted
    | InputQueued
    | InputUnqueued
    | AttemptLost,
) -> State:
    match entry:
        case SessionStarted():
            demand(state.session is None, "the session has started already")
            parallel = entry.parallel_tool_calls
            return replace(state, session=entry, model=entry.model, parallel=parallel)
        case SessionRenamed():
            return replace(state, title=entry.title)
        case RuleGranted():
            return replace(state, granted=(*state.granted, entry.rule))
        case InputQueued() | InputUnqueued():
            return replace(state, queued=_queued(state.queued, entry))
        case AttemptLost():
            seconds = state.used.seconds + entry.seconds
            return replace(state, used=Spent(state.spent + entry.usage, state.turns, seconds))


def _queued(queued: tuple[str, ...], entry: InputQueued | InputUnqueued) -> tuple[str, ...]:
    if isinstance(entry, InputUnqueued):
        demand(entry.text in queued, "what is taken back was not queued")
        at = len(queued) - 1 - queued[::-1].index(entry.text)
        return queued[:at] + queued[at + 1 :]
    demand(bool(entry.text.strip()), "nothing was said to be queued")
    return (*queued, entry.text)


def _switched(
    state: State, entry: TurnRulesSet | ApprovalSwitched | ParallelSwitched | ModelSwitched
) -> State:
    match entry:
        case TurnRulesSet():
            return replace(state, turn_rules=entry.rules)
        case ApprovalSwitched(mode):
            planned = state.planned or mode is ApprovalMode.PLAN
            return replace(state, approval=mode, planned=planned)
        case ParallelSwitched():
            return replace(state, parallel=entry.on)
        case ModelSwitched():
            busy = bool(state.tasks and state.task.open_calls)
            demand(state.session is not None and not busy, "another model while one was at work")
            return replace(state, model=entry.model)


def _exchange(state: State, entry: AssistantSaid | UserSaid | Rewound | HistoryCompacted) -> State:
    match entry:
        case AssistantSaid(message):
            ids = [call.id for call in message.calls]
            demand(
                len(set(ids)) == len(ids) and state.ids.isdisjoint(ids),
                f"call ids are not unique: {ids!r}",
            )
            signed = replace(message, by=state.speaker) if state.speaker else message
            after = _with_task(state, assistant_said(state.task, signed))
            used = Spent(
                state.spent + message.usage,
                state.turns + 1,
                state.used.seconds + entry.seconds,
            )
            return replace(after, ids=state.ids.union(ids) if ids else state.ids, used=used)
        case UserSaid():
            return _user_said(state, entry)
        case Rewound():
            return _rewound(state, entry)
        case HistoryCompacted():
            after = _with_task(state, compacted(state.task, entry))
            used = Spent(
                state.spent + entry.usage,
                state.turns + bool(entry.asked),
                state.used.seconds + entry.seconds,
            )
            return replace(after, points=(), unsayable=(), used=used)


def _user_said(state: State, entry: UserSaid) -> State:
    if entry.queued:
        demand(state.queued[:1] == (entry.text,), "what was queued first is not what was said")
        state = replace(state, queued=state.queued[1:])
    after = _with_task(state, converse(state.task, entry))
    return replace(
        after,
        points=(*state.points, state.tasks),
        unsayable=(*state.unsayable, entry.text),
        messages_said=state.messages_said + 1,
    )


def _rewound(state: State, entry: Rewound) -> State:
    first = state.messages_said - len(state.points)
    demand(first <= entry.kept < state.messages_said, f"there is no message {entry.kept} to unsay")
    demand(not state.task.open_calls, "rewound while calls were open")
    root, *above = state.points[entry.kept - first]
    shown = root_evidence(state.tasks)  # what was done to files does not end with the words
    return replace(
        state,
        tasks=(replace(root, evidence=shown), *above),
        points=state.points[: entry.kept - first],
        unsayable=state.unsayable[: entry.kept - first],
        messages_said=entry.kept,
    )


def _finished(state: State, entry: CallFinished) -> State:
    if waits_for(state, entry.result.call_id):
        state = returned(state, entry)
    after = _with_task(state, apply_to_call(state.task, entry, state.turn_rules))
    if not entry.seconds:
        return after
    return replace(after, used=replace(state.used, seconds=state.used.seconds + entry.seconds))

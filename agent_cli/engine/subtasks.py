"""Subtasks: a call of one task that another task answers.

The call stays open and started below while the subtask runs; its result takes the subtask off the
stack in the same entry, so that there is no moment between.
"""

from msgspec.structs import replace

from agent_cli.engine.demand import demand
from agent_cli.engine.evidence import taken_over
from agent_cli.engine.task import State, Task
from agent_cli.types.entries import CallFinished, TaskStarted
from agent_cli.types.messages import UserMessage
from agent_cli.types.outcomes import Code, Outcome

SUBTASK = "new_task"
"""The one tool whose call is answered by another task."""

MOST_TASKS = 5
"""On top of each other, the session's own included."""

MOST_SUBTASKS = 50
"""Of one task."""


def push(state: State, entry: TaskStarted) -> State:
    """Return the state with the task on top."""
    demand(state.session is not None, "a task started before its session")
    if not entry.parent_call_id:
        demand(not state.tasks, "the task has started already")
        return replace(state, tasks=(Task(mode=entry.mode),))
    parent = state.task
    demand(
        parent.started is not None and parent.started.call_id == entry.parent_call_id,
        f"{entry.parent_call_id!r} started a subtask without running",
    )
    demand(bool(entry.message.strip()), "a subtask was told nothing")
    demand(len(state.tasks) < MOST_TASKS, "too many tasks on top of each other")
    text = f"{entry.message}\n\n{entry.environment}" if entry.environment else entry.message
    child = Task(
        mode=entry.mode,
        parent_call_id=entry.parent_call_id,
        began=state.used,
        messages=(UserMessage(text),),
        said=(entry.message,),
        todos=entry.todos,
    )
    delegating = replace(parent, subtasks=parent.subtasks + 1)
    return replace(state, tasks=(*state.tasks[:-1], delegating, child))


def waits_for(state: State, call_id: str) -> bool:
    """Whether the call is the one that the running subtask is to answer."""
    return len(state.tasks) > 1 and state.task.parent_call_id == call_id


def returned(state: State, entry: CallFinished) -> State:
    """Return the state without the subtask; what it did counts as its parent's."""
    parent, child = state.tasks[-2:]
    demand(not child.open_calls, "a subtask returned while its calls were open")
    demand(
        (child.result is not None) == (entry.result.outcome is Outcome.OK),
        f"{entry.result.call_id!r} tells another end of its subtask",
    )
    demand(entry.result.code in ENDS, f"{entry.result.call_id!r} does not tell of its subtask")
    took_over = replace(
        parent,
        changed=(*parent.changed, *child.evidence.changed),
        denials=(*parent.denials, *(one for one in child.denials if one not in parent.denials)),
        evidence=taken_over(parent.evidence, child.evidence),
    )
    return replace(state, tasks=(*state.tasks[:-2], took_over))


ENDS = frozenset({Code.SUBTASK_COMPLETED, Code.SUBTASK_FAILED, Code.SUBTASK_CANCELLED})
"""Codes of a call that a subtask has answered."""

"""Calls that are asked about together: which ones come next, and what was said of them ahead."""

from msgspec.structs import replace

from agent_cli.engine.demand import demand
from agent_cli.engine.outcomes import COMPLETION
from agent_cli.engine.subtasks import SUBTASK
from agent_cli.engine.task import State, Task
from agent_cli.types.entries import VerdictGiven
from agent_cli.types.messages import ToolCall
from agent_cli.types.requests import Protocol

_LAST = frozenset({COMPLETION, SUBTASK})
"""After them nothing of a message runs."""


def one_at_a_time(state: State) -> bool:
    """Whether only the first call of a message runs."""
    xml = state.session is not None and state.session.protocol is Protocol.XML
    return xml or not state.parallel


def coming(state: State) -> tuple[ToolCall, ...]:
    """Return the calls that would run after the first open one, if all goes well."""
    first, *later = state.task.open_calls
    if one_at_a_time(state) or first.name in _LAST:
        return ()
    ends = (place for place, call in enumerate(later) if call.name in _LAST)
    return tuple(call for call in later[: next(ends, None)] if call.complete)


def verdict_on(task: Task, call_id: str) -> VerdictGiven | None:
    """Return what was said ahead of the call."""
    return next((one for one in task.verdicts if one.call_id == call_id), None)


def verdict_given(task: Task, entry: VerdictGiven) -> Task:
    """Return the task after a verdict ahead; raises InvalidTransitionError."""
    later = [call.id for call in task.open_calls[1:]]
    demand(entry.call_id in later, f"{entry.call_id!r} is not an open call that comes later")
    demand(verdict_on(task, entry.call_id) is None, f"{entry.call_id!r} has its verdict already")
    return replace(task, verdicts=(*task.verdicts, entry))

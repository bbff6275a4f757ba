"""What is recorded when a subtask starts, ends or is given up."""

from collections.abc import Callable

from msgspec.structs import replace

from agent_cli.context.replies import reply
from agent_cli.engine.steps import Awaiting, ReturnToParent
from agent_cli.engine.task import State, Task
from agent_cli.tools.base import StartTask
from agent_cli.types.entries import CallFinished, TaskStarted
from agent_cli.types.messages import AssistantMessage, ToolResult
from agent_cli.types.outcomes import Code, Outcome

_WHY = {
    Awaiting.STOPPED_SHORT: "subtask_stopped_short",
    Awaiting.STUCK: "subtask_stuck",
    Awaiting.LIMIT: "subtask_limit",
}


def delegated(
    call_id: str, start: StartTask, state: State, environment: Callable[[State], str]
) -> TaskStarted:
    """Return the start of the task that the call hands work to."""
    fresh = Task(mode=start.mode, todos=start.todos)
    details = environment(replace(state, tasks=(*state.tasks, fresh)))
    return TaskStarted(start.mode, call_id, start.message, details, start.todos)


def returned(step: ReturnToParent, state: State) -> CallFinished:
    """Return the end of the call that the running subtask has answered."""
    if step.outcome is Outcome.OK:
        said = reply("subtask_completed", text=step.result)
    else:
        said = reply(_WHY[step.awaiting], text=last_words(state.task))
    return CallFinished(ToolResult(step.call_id, step.outcome, step.code, said))


def cancelled(state: State) -> CallFinished:
    """Return the end of the call whose subtask, the one that runs, is given up."""
    said = reply("subtask_cancelled", text=last_words(state.task))
    call_id = state.task.parent_call_id
    return CallFinished(ToolResult(call_id, Outcome.FAILED, Code.SUBTASK_CANCELLED, said))


def last_words(task: Task) -> str:
    """Return the last text that the model wrote in the task."""
    texts = (one.text for one in reversed(task.messages) if isinstance(one, AssistantMessage))
    return next((text for text in texts if text.strip()), "(nothing)")

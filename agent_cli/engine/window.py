"""What a compaction keeps: the last messages as they are, cut where no call loses its result."""

from msgspec.structs import replace

from agent_cli.engine.demand import demand
from agent_cli.engine.task import Task
from agent_cli.types.entries import HistoryCompacted
from agent_cli.types.messages import AssistantMessage, Recorded, ToolResult, UserMessage


def cuts(messages: tuple[Recorded, ...]) -> tuple[int, ...]:
    """Return how many messages can be kept, from most to fewest; each leaves something out."""
    return tuple(
        len(messages) - at
        for at, message in enumerate(messages)
        if at > 0 and not isinstance(message, ToolResult)
    )


def compacted(task: Task, entry: HistoryCompacted) -> Task:
    """Return the task with its older messages replaced; raises InvalidTransitionError."""
    demand(not task.open_calls, "compacted while calls were open")
    demand(not task.compacted, "compacted again before the model has spoken")
    demand(bool(entry.text.strip()), "compacted to nothing")
    whole = entry.kept == 0 and bool(task.messages)
    demand(whole or entry.kept in cuts(task.messages), f"{entry.kept} messages cannot be kept")
    spoke = entry.kept == 0 and isinstance(task.messages[-1], AssistantMessage)
    demand(not spoke, "compacted so that the model would be asked again")
    kept = task.messages[len(task.messages) - entry.kept :]
    messages = (UserMessage(entry.text), *kept)
    return replace(task, messages=messages, summary=entry.summary, compacted=True)

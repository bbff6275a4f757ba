"""What the user says in the results of calls: answers, reasons and feedback."""

from collections.abc import Iterator

from agent_cli.engine.task import Answer, Task
from agent_cli.types.approval import DecidedBy
from agent_cli.types.entries import CallFinished
from agent_cli.types.messages import ToolCall
from agent_cli.types.outcomes import Code, Outcome

QUESTION = "ask_followup_question"
"""The one tool whose result is what the user says."""


def with_answers(task: Task, call: ToolCall, entry: CallFinished) -> tuple[Answer, ...]:
    """Return the user's words in results so far, with those in the one of this call."""
    return (*task.answers, *(Answer(call.id, text) for text in _said(task, call, entry) if text))


def _said(task: Task, call: ToolCall, entry: CallFinished) -> Iterator[str]:
    result, decided = entry.result, task.decided
    if decided is not None and decided.by is DecidedBy.USER:
        yield decided.reason
    if result.outcome is Outcome.OK and call.name == QUESTION:
        yield result.content
    if result.outcome is Outcome.FAILED and result.code is Code.REPEATED:
        yield result.content  # nobody else says anything in it
    yield entry.said

"""What follows when the model says that the task is done, and the turn has earned it.

The result is shown; the command that demonstrates it is offered; then the user accepts,
or says what is missing. With nobody to ask the result stands, and the command is not run.
"""

from collections.abc import Awaitable, Callable

from agent_cli.context.replies import reply
from agent_cli.engine.task import Task
from agent_cli.i18n.catalog import say
from agent_cli.runtime.frontend import Frontend
from agent_cli.tools.base import Complete
from agent_cli.types.entries import CallFinished
from agent_cli.types.events import CompletionResult, Notice
from agent_cli.types.messages import ToolResult
from agent_cli.types.outcomes import Code, Outcome


async def settle_completion(
    call_id: str,
    complete: Complete,
    demonstrate: Callable[[str], Awaitable[ToolResult]],
    frontend: Frontend,
    task: Task,
) -> CallFinished:
    """Show the result, offer its command, ask for feedback; return how the call ended."""
    shown_as = (bool(task.parent_call_id), task.evidence)
    frontend.emit(CompletionResult(call_id, complete.result, complete.command, *shown_as))
    shown = ""
    if complete.command is not None:
        ran = await demonstrate(complete.command)
        if ran.outcome is Outcome.FAILED:
            return CallFinished(ran)
        shown = ran.content if ran.outcome is Outcome.OK else reply(f"command_{ran.outcome.value}")
        shown += "\n\n"
        if ran.outcome is Outcome.DENIED and ran.code is not Code.NOBODY_TO_ASK:
            frontend.emit(Notice(say("the command was not run: {why}", why=ran.content)))
    feedback = await frontend.feedback()
    if feedback:
        said = shown + reply("completion_feedback", text=feedback)
        answered = ToolResult(call_id, Outcome.OK, Code.FEEDBACK, said)
        return CallFinished(answered, said=feedback)
    name = "accepted" if feedback is not None else "accepted_by_nobody"
    accepted = ToolResult(call_id, Outcome.OK, Code.FINISHED, shown + reply(name))
    return CallFinished(accepted, completion=complete.result)

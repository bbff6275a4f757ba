"""The user's checks: commands that have to pass before the result of a task is shown.

All of them run, so that everything that is to be repaired is known at once. Each is recorded, and
what one printed that did not pass is what the model gets. Subtasks are not checked: what they did
is part of the session's task, which is.
"""

from collections.abc import Awaitable, Callable

from msgspec.structs import replace

from agent_cli.context.replies import result_text
from agent_cli.i18n.catalog import say
from agent_cli.runtime.frontend import Frontend
from agent_cli.runtime.prepare import Prepared, RequiredCheck
from agent_cli.runtime.session import Session
from agent_cli.types.entries import CheckRun
from agent_cli.types.events import Notice, Progress
from agent_cli.types.evidence import Check
from agent_cli.types.messages import ToolResult
from agent_cli.types.outcomes import Code, Outcome

SECONDS = 600.0
"""That a check has at least: a whole suite of tests takes longer than a step of work."""


async def failed_checks(
    call_id: str,
    checks: tuple[RequiredCheck, ...],
    run: Callable[[RequiredCheck], Awaitable[ToolResult]],
    session: Session,
    frontend: Frontend,
) -> ToolResult | None:
    """Run the checks; return the failed result of the completion if one does not pass."""
    failures: list[str] = []
    for check in checks:
        frontend.emit(Progress(call_id, f"$ {check.command}\n"))
        ran = await run(check)
        done = ran.outcome is Outcome.OK
        result = Check(check.command, ran.exit_code if done else None)
        session.append(CheckRun(call_id, result))
        if not result.passed:
            failures.append(f"$ {check.command}\n{result_text(ran)}")
        if not done:
            why = result_text(ran).partition("\n")[0]
            frontend.emit(
                Notice(say("the check {command} had no end: {why}", command=check.command, why=why))
            )
    if not failures:
        return None
    return ToolResult(call_id, Outcome.FAILED, Code.CHECK_FAILED, "\n\n".join(failures))


def patient(prepared: Prepared) -> Prepared:
    """Return the command with the time that a check has."""
    services = prepared.context.services
    longer = replace(services, command_timeout=max(services.command_timeout, SECONDS))
    return replace(prepared, context=replace(prepared.context, services=longer))

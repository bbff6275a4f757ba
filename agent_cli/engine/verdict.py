"""How a run ended, from the state alone: the first line that applies."""

from agent_cli.engine.outcomes import Verdict
from agent_cli.engine.steps import Awaiting
from agent_cli.engine.task import State


def verdict(state: State, awaiting: Awaiting) -> Verdict:
    """Return the verdict of a one-shot run that stopped for this reason."""
    task = state.tasks[0]
    if awaiting is Awaiting.INTERRUPTED:
        return Verdict.INTERRUPTED
    if awaiting is Awaiting.LIMIT:
        return Verdict.LIMIT
    if task.check_failed:
        return Verdict.CHECK_FAILED
    if task.denials:
        return Verdict.DENIED
    if awaiting is Awaiting.FINISHED:
        return Verdict.COMPLETED
    if awaiting is Awaiting.STUCK or state.task.blocked:
        return Verdict.UNRESOLVED
    return Verdict.STOPPED

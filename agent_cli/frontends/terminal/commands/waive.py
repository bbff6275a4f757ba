"""`/waive`: failures that may stand when the task is completed."""

from agent_cli.frontends.sanitiser import visible
from agent_cli.frontends.terminal.commands.base import Answer, Command, Here
from agent_cli.i18n.catalog import say
from agent_cli.types.entries import FailuresWaived


def run(here: Here, argument: str) -> Answer:
    session = here.agent.session
    failures = session.state.task.unresolved
    if not failures:
        return say("no call that failed stands in the way of a completion")
    session.append(FailuresWaived())
    names = "\n".join(f"  {name} {target}".rstrip() for name, target in failures)
    return visible(say("these failures may stand:") + f"\n{names}")


COMMAND = Command(name="waive", help="let the failures so far stand", run=run)

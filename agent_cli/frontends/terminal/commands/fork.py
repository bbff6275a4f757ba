"""`/fork`: a new session with the same beginning."""

from agent_cli.frontends.terminal.commands.base import Answer, Command, Elsewhere, Here, Leave
from agent_cli.i18n.catalog import say


def run(here: Here, argument: str) -> Answer:
    path = here.agent.session.path
    if path is None:
        return say("this session is kept nowhere, so it cannot be forked")
    return Leave(Elsewhere(path, fork=True))


COMMAND = Command(
    name="fork",
    help="go on in a new session with the same beginning",
    run=run,
)

"""`/rename`: gives the session a name."""

from agent_cli.frontends.sanitiser import in_one_line
from agent_cli.frontends.terminal.commands.base import Answer, Command, Here
from agent_cli.i18n.catalog import say
from agent_cli.runtime.session_care import rename


def run(here: Here, argument: str) -> Answer:
    """Name the session, or say how it is named."""
    session = here.agent.session
    name = rename(session, argument) if argument else session.state.title
    if not name:
        return say("the session has no name; /rename NAME gives it one")
    return say("named {name}", name=in_one_line(name))


COMMAND = Command(name="rename", help="name the session", hint="[NAME]", run=run)

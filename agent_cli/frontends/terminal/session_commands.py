"""`/rename`, `/export` and `/fork`: care for the session that runs."""

from pathlib import Path

from agent_cli.frontends.exports.formats import format_of, rendered
from agent_cli.frontends.sanitiser import in_one_line, visible
from agent_cli.i18n.catalog import say
from agent_cli.runtime.agent import Agent
from agent_cli.runtime.session_care import rename as named
from agent_cli.sessions.export import export_of
from agent_cli.sessions.whole import write_new
from agent_cli.types.errors import ConfigurationError, JournalError


def rename(agent: Agent, argument: str) -> str:
    """Name the session, or say how it is named."""
    name = named(agent.session, argument) if argument else agent.session.state.title
    if not name:
        return say("the session has no name; /rename NAME gives it one")
    return say("named {name}", name=in_one_line(name))


def export(agent: Agent, argument: str) -> str:
    """Write the session to a new file; its ending says in which format."""
    path = agent.session.path
    if path is None:
        return say("this session is kept nowhere")
    file = Path(argument or f"{path.stem}.md").expanduser()
    try:
        write_new(file, rendered(export_of(path), format_of(file)))
    except (JournalError, ConfigurationError) as error:
        return visible(str(error))
    return say("written to {path}", path=in_one_line(str(file)))

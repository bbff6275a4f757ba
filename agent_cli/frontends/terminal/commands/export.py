"""`/export`: the session as a file to read, keep or show."""

from pathlib import Path

from agent_cli.frontends.exports.formats import format_of, rendered
from agent_cli.frontends.sanitiser import in_one_line, visible
from agent_cli.frontends.terminal.commands.base import Answer, Command, Here
from agent_cli.i18n.catalog import say
from agent_cli.sessions.export import export_of
from agent_cli.sessions.whole import write_new
from agent_cli.types.errors import ConfigurationError, JournalError


def run(here: Here, argument: str) -> Answer:
    """Write the session to a new file; its ending says in which format."""
    path = here.agent.session.path
    if path is None:
        return say("this session is kept nowhere")
    file = Path(argument or f"{path.stem}.md").expanduser()
    try:
        write_new(file, rendered(export_of(path), format_of(file)))
    except (JournalError, ConfigurationError) as error:
        return visible(str(error))
    return say("written to {path}", path=in_one_line(str(file)))


COMMAND = Command(
    name="export",
    help="write the session to a file: .md, .json or .html",
    hint="[FILE]",
    run=run,
)

"""`/resume`: the sessions of this folder, and another one to go on with."""

import time

from rich.text import Text

from agent_cli.frontends.sanitiser import in_one_line, visible
from agent_cli.frontends.terminal.columns import right
from agent_cli.frontends.terminal.commands.base import Answer, Command, Elsewhere, Here, Leave
from agent_cli.i18n.catalog import say
from agent_cli.runtime.session_care import sessions_directory
from agent_cli.sessions.catalog import SessionInfo, sessions
from agent_cli.types.errors import ConfigurationError

_OFFERED = 20
_MINUTE, _HOUR, _DAY = 60, 3600, 86400


async def run(here: Here, argument: str) -> Answer:
    """Go on with the session of that number or beginning of an id, or with one that is chosen."""
    own = here.agent.session.path
    if own is None:
        return say("this session is kept nowhere, and would be lost by leaving it")
    options = here.outside.options
    try:
        directory = sessions_directory(options.environ, options.cwd)
    except ConfigurationError as error:
        return visible(str(error))
    others = [one for one in sessions(directory, options.cwd.resolve()) if one.path != own]
    if not others:
        return say("there is no other session of this folder")
    wanted = argument or await _chosen(here, others[:_OFFERED])
    if not wanted:
        return ""
    found = _named(wanted, others)
    if found is None:
        told = say("{name} is none of this folder's sessions, or not only one", name=repr(wanted))
        return visible(told)
    return Leave(Elsewhere(found.path))


def _named(wanted: str, others: list[SessionInfo]) -> SessionInfo | None:
    if wanted.isascii() and wanted.isdecimal() and 0 < int(wanted) <= min(len(others), _OFFERED):
        return others[int(wanted) - 1]
    named = [one for one in others if one.id.startswith(wanted)]
    return named[0] if len(named) == 1 else None


async def _chosen(here: Here, others: list[SessionInfo]) -> str:
    now, width = time.time(), here.writer.console.width
    for number, one in enumerate(others, 1):
        line = Text(f"{number:3}  ", style=here.theme.accent)
        line.append(f"{right(_age(now - one.changed), 7)}  ", style=here.theme.dim)
        line.append(in_one_line(one.title) or say("nothing has been said yet"))
        line.append(f"  {in_one_line(one.model)}", style=here.theme.dim)
        line.truncate(width, overflow="ellipsis")
        here.writer.show(line)
    try:
        return (await here.ask(say("Number of the session (Enter: none): "))).strip()
    except (EOFError, KeyboardInterrupt):
        return ""


def _age(seconds: float) -> str:
    """Return how long ago that was, in the largest unit."""
    if seconds < _HOUR:
        return say("{minutes} min", minutes=int(max(seconds, 0) // _MINUTE))
    if seconds < _DAY:
        return say("{hours} h", hours=int(seconds // _HOUR))
    return say("{days} d", days=int(seconds // _DAY))


COMMAND = Command(
    name="resume",
    aliases=("sessions",),
    help="list the sessions of this folder, and go on with another one",
    hint="[SESSION]",
    run=run,
)

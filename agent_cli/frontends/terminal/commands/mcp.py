"""`/mcp`: the servers that bring tools: how they stand, what they have, and once more."""

from collections.abc import Coroutine
from typing import TYPE_CHECKING, Any

from rich.text import Text

from agent_cli.frontends.sanitiser import in_one_line, visible
from agent_cli.frontends.terminal.commands.base import Answer, Command, Here
from agent_cli.i18n.catalog import say
from agent_cli.types.errors import ToolError

if TYPE_CHECKING:
    from agent_cli.mcp.hub import Hub, Standing

_RECONNECT = "reconnect"
_WIDTH = 100
"""Characters of a description that are shown."""


def run(here: Here, argument: str) -> Answer | Coroutine[Any, Any, Answer]:
    hub = here.agent.toolbox.servers
    if hub is None:
        return say("no servers are set up; `agent mcp add` adds one")
    action, _, name = argument.partition(" ")
    name = name.strip()
    if action == _RECONNECT:
        return _again(hub, name)
    known = {one.name: one for one in hub.standing()}
    if not argument:
        return Text("\n").join(_line(here, one) for one in known.values())
    if argument not in known:
        names = ", ".join(known)
        told = say("there is no server {name}; there are {names}", name=repr(argument), names=names)
        return visible(told)
    return _tools(here, hub, known[argument])


def _line(here: Here, one: "Standing") -> Text:
    theme = here.theme
    shown = {
        "none": (say("not connected yet"), theme.dim),
        "connecting": (say("connecting"), theme.dim),
        "open": (say("connected"), theme.ok),
        "failed": (say("cannot be used"), theme.error),
    }
    words, style = shown[one.state]
    line = Text(in_one_line(one.name), style=theme.strong).append(f"  {words}", style)
    if one.tools or one.resources:
        counted = say(
            "tools: {tools}, resources: {resources}", tools=one.tools, resources=one.resources
        )
        line.append(f"  {counted}", theme.dim)
    return line.append(f"  {in_one_line(one.problem)}") if one.problem else line


def _tools(here: Here, hub: "Hub", one: "Standing") -> Text:
    lines = [_line(here, one)]
    for tool in hub.tools(one.name):
        line = Text(f"  {in_one_line(tool.name)}", style=here.theme.name_of_tool)
        lines.append(line.append(f"  {in_one_line(tool.description)[:_WIDTH]}", here.theme.dim))
    lines += [Text(f"  {in_one_line(found.uri)}") for found in hub.resources(one.name)]
    return Text("\n").join(lines)


async def _again(hub: "Hub", name: str) -> str:
    """Connect anew to one, or to all that are not connected."""
    wanted = [one.name for one in hub.standing() if name == one.name or not name]
    if name and not wanted:
        wanted = [name]
    told: list[str] = []
    for server in wanted:
        try:
            await hub.reconnect(server)
        except ToolError as error:
            told.append(visible(str(error)))
        else:
            told.append(say("{name} is connected", name=in_one_line(server)))
    return "\n".join(told)


COMMAND = Command(
    name="mcp",
    help="show the servers of tools, what one has, or connect anew",
    hint="[SERVER | reconnect [SERVER]]",
    run=run,
    while_working=True,
    acts=True,
)

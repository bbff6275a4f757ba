"""The place of MCP servers in a session: known from the settings, joined by the first request."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from agent_cli.approval.rules import Rule, parse
from agent_cli.approval.server_tools import PREFIX
from agent_cli.engine.task import State
from agent_cli.processes.run import Processes
from agent_cli.runtime.frontend import Frontend
from agent_cli.runtime.prepare import Toolbox
from agent_cli.settings.schema import Settings
from agent_cli.types.events import Notice
from agent_cli.types.requests import Protocol

if TYPE_CHECKING:
    from agent_cli.mcp.config import FoldersFile, Known
    from agent_cli.mcp.hub import Hub

_REACHING = ("access_mcp_resource", "use_mcp_tool")
"""Tools that are there from the start and described anew when the servers are known."""


def known_servers(
    settings: Settings, root: Path, environ: Mapping[str, str], folders: "FoldersFile | None"
) -> "Known | None":
    """Return the servers of the user and of the folder; None if there are none."""
    if not settings.mcp.servers and folders is None:
        return None
    from agent_cli.mcp.config import known  # noqa: PLC0415 - most sessions have no servers

    return known(settings.mcp.servers, root.resolve(), environ, folders)


def hub(
    known: "Known | None", processes: Processes, frontend: Frontend, wait: float
) -> "Hub | None":
    """Return the way to the servers, none of them connected yet."""
    if known is None:
        return None
    from agent_cli.mcp.hub import Hub  # noqa: PLC0415 - as above

    return Hub(known, processes, lambda text: frontend.emit(Notice(text)), wait)


async def join(toolbox: Toolbox, state: State) -> None:
    """Connect to the servers, and add their tools; only the first time."""
    servers, started = toolbox.servers, state.session
    if servers is None or servers.fixed:
        return
    assert started is not None  # whoever asks has a session
    denied = [parse(rule) for rule in toolbox.policy.deny]

    def is_hidden(name: str) -> bool:
        server = name.removeprefix(PREFIX).partition("__")[0]
        return Rule(name) in denied or Rule(PREFIX + server) in denied

    offered = await servers.offer(native=started.protocol is Protocol.NATIVE, hidden=is_hidden)
    kept = {name: toolbox.tools.pop(name) for name in _REACHING if name in toolbox.tools}
    toolbox.tools.update(
        {name: tool for name, tool in offered.items() if name in kept or name not in _REACHING}
    )

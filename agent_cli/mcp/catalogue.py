"""What the servers of one session say of their tools, and what of it has been agreed to."""

from collections.abc import Callable

import msgspec

from agent_cli.approval.server_tools import tool_name
from agent_cli.i18n.catalog import say
from agent_cli.mcp.definitions import Definition, schema
from agent_cli.mcp.tools import ServerTool
from agent_cli.tools.base import AnyTool

MOST_TOOLS = 100
"""Tools that are offered by names of their own, over all servers; providers have limits."""

Hidden = Callable[[str], bool]
"""Whether the tool of that name is not to be offered."""


class Catalogue:
    """The tools by server and name, as they were listed last."""

    def __init__(self, notice: Callable[[str], None]) -> None:
        self._notice = notice
        self._defined: dict[str, dict[str, Definition]] = {}
        self._agreed: dict[tuple[str, str], Definition] = {}

    def listed(self, server: str, definitions: tuple[Definition, ...]) -> None:
        """Take note of what a server has now. Of several tools of one name the first counts."""
        tools: dict[str, Definition] = {}
        for one in definitions:
            tools.setdefault(one.name, one)
        before = self._defined.get(server)
        if before is None and len(tools) < len(definitions):
            self._notice(say("server {name} has two tools of one name", name=server))
        if before is not None and before != tools:
            self._notice(
                say(
                    "server {name} has changed its tools; changed ones are asked about", name=server
                )
            )
        self._defined[server] = tools
        for name, one in tools.items():
            self._agreed.setdefault((server, name), one)

    def knows(self, server: str) -> bool:
        """Whether the server has ever told what it has."""
        return server in self._defined

    def of(self, server: str) -> dict[str, Definition]:
        return self._defined.get(server, {})

    def agree(self, server: str, tool: str) -> None:
        """Take note that a call of the tool as it is now was let run."""
        self._agreed[server, tool] = self._defined[server][tool]

    def changed(self, server: str, tool: str) -> str:
        """Return how the tool is defined now, if otherwise than was agreed to."""
        now, agreed = self.of(server).get(tool), self._agreed.get((server, tool))
        if now is None or now == agreed:
            return ""
        return f"{now.description}\n{msgspec.json.encode(now.schema).decode()}"

    def everything(self, hidden: Hidden) -> list[tuple[str, Definition]]:
        """Return all tools with their servers, in a fixed order."""
        return [
            (server, one)
            for server, tools in sorted(self._defined.items())
            for one in sorted(tools.values(), key=lambda one: one.name)
            if not hidden(tool_name(server, one.name))
        ]

    def named(self, hidden: Hidden) -> tuple[dict[str, AnyTool], list[tuple[str, Definition]]]:
        """Return tools by names of their own, and those that can have none."""
        found: dict[str, AnyTool] = {}
        others: list[tuple[str, Definition]] = []
        for server, one in self.everything(hidden):
            name, made = tool_name(server, one.name), schema(one)
            if made is None or name in found or len(found) == MOST_TOOLS:
                others.append((server, one))
            else:
                found[name] = ServerTool(name, server, one, made)
        return dict(sorted(found.items())), others

"""Servers' tools as tools of ours: each by a name of its own, and the two that reach all others."""

from copy import copy
from typing import Any

import msgspec
from msgspec import Raw

from agent_cli.mcp.definitions import Definition, Resource, plain
from agent_cli.tools import access_mcp_resource, use_mcp_tool
from agent_cli.tools.base import AnyTool, Output, Tool, ToolContext
from agent_cli.types.approval import Words
from agent_cli.types.effects import Effect, Kind

_LONGEST_LIST = 40_000
"""Characters of a description that lists tools or resources."""
_MOST_RESOURCES = 100
_LINE = 300


class ServerTool(Tool[Any]):
    """One tool of one server. Its arguments are the server's to judge."""

    kind = Kind.MCP
    arguments = dict[str, Any]

    def __init__(self, name: str, server: str, definition: Definition, schema: Raw) -> None:
        self.name = name
        self.description = definition.description
        self.schema = schema
        self._server = server
        self._tool = definition.name

    def effects(self, arguments: dict[str, Any], context: ToolContext) -> tuple[Effect, ...]:
        return use_mcp_tool.effects(self._server, self._tool, context)

    def preview(self, arguments: dict[str, Any], context: ToolContext) -> Words:
        return use_mcp_tool.preview(self._server, self._tool, arguments, context)

    async def run(self, arguments: dict[str, Any], context: ToolContext) -> Output:
        reached = use_mcp_tool.servers(context)
        return await reached.call(self._server, self._tool, arguments, context.progress)


def any_tool(listed: list[tuple[str, Definition]], late: list[str]) -> AnyTool:
    """Return `use_mcp_tool` with what it can call in its description."""
    tool = copy(use_mcp_tool.TOOL)
    entries = [
        f"## {server}: {definition.name}\n{definition.description}\n"
        f"Arguments: {msgspec.json.encode(definition.schema).decode()}"
        for server, definition in listed
    ]
    if late:
        entries.append(
            f"Not connected yet: {', '.join(late)}. A call that names a tool that such a server "
            "does not have is answered with the list of those it has."
        )
    tool.description = plain("\n\n".join([tool.description, *entries]), _LONGEST_LIST)
    return tool


def any_resource(listed: list[tuple[str, Resource]], late: list[str]) -> AnyTool:
    """Return `access_mcp_resource` with what it can read in its description."""
    tool = copy(access_mcp_resource.TOOL)
    lines = [
        f"- {server}: {one.uri} ({plain(one.name, _LINE)}) {plain(one.description, _LINE)}".rstrip()
        for server, one in listed[:_MOST_RESOURCES]
    ]
    if len(listed) > _MOST_RESOURCES:
        lines.append(f"And {len(listed) - _MOST_RESOURCES} more.")
    if late:
        lines.append(f"Not connected yet: {', '.join(late)}.")
    tool.description = plain("\n".join([tool.description, *lines]), _LONGEST_LIST)
    return tool

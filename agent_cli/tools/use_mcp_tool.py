"""use_mcp_tool: a tool of a server, by the names of both.

Where the servers' tools are offered by names of their own, this one is for those that came too
late or cannot be offered like that.
"""

from typing import Annotated, Any

import msgspec
from msgspec import Meta

from agent_cli.tools._reasons import size
from agent_cli.tools.base import Output, Reason, Servers, Services, Tool, ToolArguments, ToolContext
from agent_cli.types.approval import Words
from agent_cli.types.effects import Effect, Kind
from agent_cli.types.errors import ToolError
from agent_cli.types.outcomes import Code

LONGEST_RESULT = 60_000
"""Characters."""
MOST_IMAGES = 10
LARGEST_IMAGE = 5 * 1024 * 1024
"""Characters of base64, which is what providers count."""
RESULT_LIMITS = (
    f"{LONGEST_RESULT:,} characters of a result; its middle is left out beyond.",
    f"{MOST_IMAGES} images of {size(LARGEST_IMAGE)} in base64; others are named only.",
    "The seconds of the server's own `timeout`, for a call as for its start.",
)
SERVER_FAILS = (
    Reason("server", "There is no such server; the message says which there are."),
    Reason("unusable", "The server cannot be started or reached, or its folder's trust has ended."),
    Reason("gone", "The server went away during the call, which may have had its effect."),
    Reason("timeout", "The server did not answer in its time.", Code.TIMED_OUT),
    Reason("answer", "The server answered with an error, or with what is no valid answer."),
)
NEEDS = "an MCP server in the settings or in a trusted folder"


class Arguments(ToolArguments, frozen=True):
    server_name: Annotated[str, Meta(description="The server that has the tool.", min_length=1)]
    tool_name: Annotated[str, Meta(description="The tool, as its server calls it.", min_length=1)]
    arguments: Annotated[
        dict[str, Any] | str | None,
        Meta(description="The tool's arguments: a JSON object."),
    ] = None


class UseMcpTool(Tool[Arguments]):
    name = "use_mcp_tool"
    description = "Call a tool of a connected MCP server."
    kind = Kind.MCP
    arguments = Arguments
    example = Arguments("weather", "forecast", {"city": "Oslo", "days": 3})
    touches = (Effect(Kind.MCP, "server_name/tool_name"),)
    limits = RESULT_LIMITS
    failures = (
        Reason(
            "no_object",
            "The arguments for the server's tool are a text that is no JSON object.",
            Code.INVALID_ARGUMENTS,
        ),
        *SERVER_FAILS,
        Reason("tool", "The server has no such tool; it says which it has."),
        Reason(
            "changed", "The server has changed what the tool does since the call was agreed to."
        ),
        Reason("refused", "The server's tool says itself that it failed."),
    )
    needs = NEEDS

    def available(self, services: Services) -> bool:
        return services.servers is not None

    def effects(self, arguments: Arguments, context: ToolContext) -> tuple[Effect, ...]:
        _given(arguments)
        return effects(arguments.server_name, arguments.tool_name, context)

    def preview(self, arguments: Arguments, context: ToolContext) -> Words:
        return preview(arguments.server_name, arguments.tool_name, _given(arguments), context)

    async def run(self, arguments: Arguments, context: ToolContext) -> Output:
        return await servers(context).call(
            arguments.server_name, arguments.tool_name, _given(arguments), context.progress
        )


def effects(server: str, tool: str, context: ToolContext) -> tuple[Effect, ...]:
    """Return the one effect of a server's tool.

    It is protected, so that nothing but a person lets it pass, while the tool is not defined as
    it was when it was agreed to.
    """
    changed = bool(servers(context).changed(server, tool))
    return (Effect(Kind.MCP, f"{server}/{tool}", protected=changed),)


def preview(server: str, tool: str, arguments: dict[str, Any], context: ToolContext) -> Words:
    shown = msgspec.json.format(msgspec.json.encode(arguments), indent=2).decode()
    text = f"{server}/{tool}\n\n{shown}"
    definition = servers(context).changed(server, tool)
    if definition:
        text = f"{server} has changed what {tool} does; it says now:\n\n{definition}\n\n{text}"
    return Words(text)


def servers(context: ToolContext) -> Servers:
    found = context.services.servers
    if found is None:
        raise ToolError("no MCP servers are configured")
    return found


def _given(arguments: Arguments) -> dict[str, Any]:
    """Return the arguments; in XML they come as a text."""
    given = arguments.arguments
    if not isinstance(given, str):
        return given or {}
    try:
        return msgspec.json.decode(given.strip() or "{}", type=dict[str, Any])
    except (msgspec.DecodeError, RecursionError) as error:
        raise ToolError(
            f"use_mcp_tool: the arguments of {arguments.tool_name!r} are no JSON object: {error}",
            Code.INVALID_ARGUMENTS,
        ) from error


TOOL = UseMcpTool()

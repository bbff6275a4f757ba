"""access_mcp_resource: something that a server lets be read."""

from typing import Annotated

from msgspec import Meta

from agent_cli.tools.base import Output, Reason, Services, Tool, ToolArguments, ToolContext
from agent_cli.tools.use_mcp_tool import NEEDS, RESULT_LIMITS, SERVER_FAILS, servers
from agent_cli.types.approval import Words
from agent_cli.types.effects import Effect, Kind


class Arguments(ToolArguments, frozen=True):
    server_name: Annotated[str, Meta(description="The server that has it.", min_length=1)]
    uri: Annotated[str, Meta(description="The URI of the resource.", min_length=1)]


class AccessMcpResource(Tool[Arguments]):
    name = "access_mcp_resource"
    description = "Read a resource of a connected MCP server."
    kind = Kind.MCP
    arguments = Arguments
    example = Arguments("notes", "notes://2026/march")
    touches = (Effect(Kind.MCP, "server_name/resource:uri"),)
    limits = RESULT_LIMITS
    failures = (
        *SERVER_FAILS,
        Reason("resource", "The server has no such resource, or refuses it."),
    )
    needs = NEEDS

    def available(self, services: Services) -> bool:
        return services.servers is not None

    def effects(self, arguments: Arguments, context: ToolContext) -> tuple[Effect, ...]:
        return (Effect(Kind.MCP, f"{arguments.server_name}/resource:{arguments.uri}"),)

    def preview(self, arguments: Arguments, context: ToolContext) -> Words:
        return Words(f"read {arguments.uri} from {arguments.server_name}")

    async def run(self, arguments: Arguments, context: ToolContext) -> Output:
        return await servers(context).read(arguments.server_name, arguments.uri)


TOOL = AccessMcpResource()

"""An MCP server made with the SDK: `stdio`, or `streamable-http` and a port on loopback."""

import asyncio
import sys

from mcp.server import MCPServer
from mcp.server.mcpserver import Context

server = MCPServer("tested", log_level="CRITICAL")


@server.tool()
def add(a: int, b: int) -> int:
    """Add two numbers."""
    return a + b


@server.tool()
async def sleep(seconds: float) -> str:
    """Take a while."""
    await asyncio.sleep(seconds)
    return "awake"


@server.tool()
def header(name: str, context: Context) -> str:
    """Say which header came with the request."""
    request = context.request_context.request
    return request.headers.get(name, "none") if request is not None else "no request"


@server.tool()
async def grow(context: Context) -> str:
    """Have one more tool from now on."""

    def grown() -> str:
        """Be new."""
        return "grown"

    if server._tool_manager.get_tool("grown") is None:
        server.add_tool(grown)
    await context.notify_tools_changed()
    return "done"


@server.resource("note://{name}")
def note(name: str) -> str:
    """Return a note."""
    return f"the note {name}"


if __name__ == "__main__":
    if sys.argv[1] == "stdio":
        server.run("stdio")
    else:
        server.run("streamable-http", port=int(sys.argv[2]))

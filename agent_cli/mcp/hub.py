"""The servers of one session, connected in the background; the first request fixes their tools.

What a model is offered does not change after that, so that every request extends the one before.
Who comes too late is reached through `use_mcp_tool`. A tool that its server defines otherwise
later on is asked about again, whatever was agreed to before.
"""

import asyncio
from collections.abc import Callable
from typing import Any

from msgspec import Struct

from agent_cli.i18n.catalog import say
from agent_cli.mcp.catalogue import Catalogue, Hidden
from agent_cli.mcp.config import Known
from agent_cli.mcp.connection import Connection, Link, UnusableError
from agent_cli.mcp.definitions import Definition, Resource, plain
from agent_cli.mcp.tools import any_resource, any_tool
from agent_cli.processes.run import Processes
from agent_cli.tools.base import AnyTool, Output
from agent_cli.types.errors import ToolError


class Standing(Struct, frozen=True):
    """How one server stands."""

    name: str
    state: Link
    problem: str
    """Why it cannot be used; empty if nothing is known against it."""
    tools: int
    resources: int


class Hub:
    """All servers of a session. Whoever makes one closes it."""

    def __init__(
        self, known: Known, processes: Processes, notice: Callable[[str], None], wait: float
    ) -> None:
        """Tell the user through `notice`; wait at most `wait` seconds for servers."""
        self._problems = known.problems
        self._notice = notice
        self._wait = wait
        self._catalogue = Catalogue(notice)
        self._late: set[asyncio.Task[None]] = set()
        self.fixed = False
        self._connections = {
            server.name: Connection(server, processes, self._listing(server.name))
            for server in known.servers
        }

    async def offer(self, *, native: bool, hidden: Hidden) -> dict[str, AnyTool]:
        """Connect, wait a little, and fix what is offered; `hidden` names are not.

        With `native`, tools have names of their own, and `use_mcp_tool` is left for the others.
        """
        for problem in self._problems:
            self._notice(problem)
        connecting = {name: asyncio.create_task(self._connect(name)) for name in self._connections}
        if connecting:
            await asyncio.wait(connecting.values(), timeout=self._wait)
        late = [name for name in connecting if not self._catalogue.knows(name)]
        self._late = {task for task in connecting.values() if not task.done()}
        for name in late:
            if not connecting[name].done():
                self._notice(say("server {name} is not there yet; its tools come later", name=name))
        self.fixed = True
        if not native:
            return self._reaching(self._catalogue.everything(hidden), late)
        found, others = self._catalogue.named(hidden)
        return {**found, **self._reaching(others, late)}

    async def call(
        self, server: str, tool: str, arguments: dict[str, Any], tell: Callable[[str], None]
    ) -> Output:
        connection = self._connection(server)
        before = self._catalogue.of(server).get(tool)
        await connection.connected()
        tools = self._catalogue.of(server)
        if tool not in tools:
            names = plain(", ".join(sorted(tools)))
            raise ToolError(f"server {server!r} has no tool {tool!r}; it has: {names}")
        if before is not None and before != tools[tool]:
            raise ToolError(
                f"server {server!r} has changed what {tool!r} does since this call was agreed to: "
                "make the call again"
            )
        self._catalogue.agree(server, tool)  # who let it run has seen what it is now
        return await connection.call(tool, arguments, tell)

    async def read(self, server: str, uri: str) -> Output:
        return await self._connection(server).read(uri)

    def changed(self, server: str, tool: str) -> str:
        return self._catalogue.changed(server, tool)

    def tools(self, server: str) -> tuple[Definition, ...]:
        """Return what a connected server has."""
        return tuple(self._catalogue.of(server).values())

    def resources(self, server: str) -> tuple[Resource, ...]:
        return self._connections[server].resources

    def standing(self) -> tuple[Standing, ...]:
        """Return how each server stands; waits for none."""
        return tuple(
            Standing(name, one.state, one.problem, len(self.tools(name)), len(one.resources))
            for name, one in sorted(self._connections.items())
        )

    async def reconnect(self, server: str) -> None:
        """End the connection to one and make it again; raises ToolError."""
        connection = self._connection(server)
        await connection.close()
        await connection.connected()

    async def connect(self, server: str) -> None:
        """Connect to one; raises ToolError."""
        await self._connection(server).connected()

    async def close(self) -> None:
        """End all connections."""
        for task in self._late:
            task.cancel()
        closing = [asyncio.create_task(one.close()) for one in self._connections.values()]
        if closing:
            await asyncio.wait(closing)

    def _connection(self, server: str) -> Connection:
        connection = self._connections.get(server)
        if connection is None:
            names = ", ".join(self._connections)
            raise ToolError(f"there is no server {server!r}; servers: {names or 'none'}")
        return connection

    async def _connect(self, name: str) -> None:
        try:
            await self._connections[name].connected()
        except UnusableError as error:
            self._notice(say("server {name} cannot be used: {why}", name=name, why=error.why))
            return
        if self.fixed:
            self._notice(say("server {name} is there now; the model can call its tools", name=name))

    def _listing(self, server: str) -> Callable[[tuple[Definition, ...]], None]:
        return lambda definitions: self._catalogue.listed(server, definitions)

    def _reaching(
        self, others: list[tuple[str, Definition]], late: list[str]
    ) -> dict[str, AnyTool]:
        """Return the tools that reach what has no name of its own, where there is any."""
        resources = [
            (server, one)
            for server, connection in sorted(self._connections.items())
            for one in connection.resources
        ]
        reaching: list[AnyTool] = []
        if resources or late:
            reaching.append(any_resource(resources, late))
        if others or late:
            reaching.append(any_tool(others, late))
        return {tool.name: tool for tool in reaching}

"""The MCP servers: who calls one by its address has a session of their own there.

Nobody's call is made in a session that was opened with somebody else's credentials, or that has
seen somebody else's calls. Programs are started once, for all. A server that is not there is tried
again in the background; until then its tools are not offered.
"""

import asyncio
from collections.abc import Callable, Coroutine, Mapping
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from agent_cli.mcp.config import Known, known
from agent_cli.mcp.connection import ForgottenError, UnusableError
from agent_cli.mcp.definitions import Definition
from agent_cli.mcp.hub import Hub
from agent_cli.mcp.names import server_name
from agent_cli.processes.run import Processes
from agent_cli.proxy.config import Config, Token
from agent_cli.settings.schema import McpServer
from agent_cli.tools.base import Output
from agent_cli.types.errors import ToolError

_AGAIN = 15.0
"""Seconds until a server that could not be reached is tried again."""


class Servers:
    """All servers that the configuration names. Whoever makes one starts and closes it."""

    def __init__(
        self,
        config: Config,
        environ: Mapping[str, str],
        processes: Processes,
        notice: Callable[[str], None],
    ) -> None:
        self._notice = notice
        common = known(config.mcp, Path.cwd(), environ)
        self.names = tuple(server.name for server in common.servers)
        self._problems = list(common.problems)
        self._common = Hub(common, processes, notice, 0)
        self._hubs: dict[tuple[str, str], Hub] = {}
        self._sealed: set[tuple[str, str]] = set()
        """Principals and servers that know them by credentials of their own."""
        for principal, token in config.tokens.items():
            reached = known(_addresses(config.mcp, token), Path.cwd(), environ)
            new = [said for said in reached.problems if said not in self._problems]
            self._problems += [f"tokens.{principal}.mcp: {problem}" for problem in new]
            hub = Hub(Known(reached.servers), processes, _unheard, 0)
            self._hubs |= {(principal, server.name): hub for server in reached.servers}
            self._sealed |= {(principal, server_name(written)) for written in token.mcp}
        self._connecting: set[asyncio.Task[None]] = set()

    async def start(self, wait: float) -> None:
        """Connect; to those that take longer than `wait` seconds, or are not there, later.

        What a principal sees by credentials of their own has to be asked for with these.
        """
        for problem in self._problems:
            self._notice(problem)
        wanted = [(self._common, name) for name in self.names]
        wanted += [(hub, key[1]) for key, hub in self._hubs.items() if key in self._sealed]
        for hub, name in wanted:
            self._begin(self._connect(hub, name))
        if self._connecting:
            await asyncio.wait(set(self._connecting), timeout=wait)

    async def close(self) -> None:
        for task in self._connecting:
            task.cancel()
        if self._connecting:
            await asyncio.wait(self._connecting)
        async with asyncio.TaskGroup() as closing:
            for hub in {id(one): one for one in (self._common, *self._hubs.values())}.values():
                closing.create_task(hub.close())

    def tools(self, principal: str, server: str) -> tuple[Definition, ...]:
        """Return what the server has for the principal, as far as that is known."""
        key = (principal, server)
        own = self._hubs[key].tools(server) if key in self._hubs else ()
        return own if own or key in self._sealed else self._common.tools(server)

    async def call(
        self, reached: tuple[str, str, str], arguments: dict[str, Any], *, again: bool
    ) -> Output:
        """Call, for a principal, a server's tool.

        Where the server has forgotten the session, a new one is begun; the call is made once more
        in it only if that does no harm, for a server may have been at work before it said so.
        """
        principal, server, tool = reached
        hub = self._hub(principal, server)
        try:
            return await hub.call(server, tool, arguments, _unheard)
        except ForgottenError:
            if not again:
                raise
        return await hub.call(server, tool, arguments, _unheard)

    def _hub(self, principal: str, server: str) -> Hub:
        key = (principal, server)
        if key in self._sealed and key not in self._hubs:
            raise UnusableError(server, f"tokens.{principal}.mcp is not complete")
        return self._hubs.get(key, self._common)

    def _begin(self, connecting: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(connecting)
        self._connecting.add(task)
        task.add_done_callback(self._connecting.discard)

    async def _connect(self, hub: Hub, server: str) -> None:
        try:
            await hub.connect(server)
        except ToolError as error:
            self._notice(str(error))
            self._begin(self._connect_later(hub, server))

    async def _connect_later(self, hub: Hub, server: str) -> None:
        await asyncio.sleep(_AGAIN)
        await self._connect(hub, server)


def _addresses(servers: Mapping[str, McpServer], token: Token) -> dict[str, McpServer]:
    """Return the servers that have an address, with the headers that the token goes by there."""
    return {
        name: replace(server, headers=_over(server.headers, token.mcp.get(name, {})))
        for name, server in servers.items()
        if server.url
    }


def _over(headers: Mapping[str, str], own: Mapping[str, str]) -> dict[str, str]:
    replaced = {name.lower() for name in own}
    kept = {name: value for name, value in headers.items() if name.lower() not in replaced}
    return {**kept, **own}


def _unheard(_: str) -> None:
    """Take no notice: what a server says to all is heard by those who serve all."""

"""The managed tools, of MCP servers and HTTP endpoints: what each is, and how it is called."""

import asyncio
from collections.abc import Callable, Mapping
from fnmatch import fnmatchcase
from typing import Any

import msgspec
from msgspec import Raw, Struct

from agent_cli.mcp.connection import UnusableError
from agent_cli.mcp.definitions import Definition, schema
from agent_cli.processes.run import Processes
from agent_cli.proxy.config import Config, HttpTool, Treatment
from agent_cli.proxy.envelopes import Envelope, failure, success
from agent_cli.proxy.http_tools import Endpoint
from agent_cli.proxy.names import plain
from agent_cli.proxy.sentences import sentence
from agent_cli.proxy.servers import Servers
from agent_cli.tools.base import Blocks, Failure
from agent_cli.types.errors import ToolError
from agent_cli.types.outcomes import Code

_TREATMENT = Treatment()


class Managed(Struct, frozen=True):
    """One tool, by the name that configuration and audit know it by."""

    name: str
    description: str
    schema: Raw
    service: str
    transport: str
    read_only: bool = False
    idempotent: bool = False
    volatile: bool = False
    ends_turn: bool = False
    timeout: float | None = None

    @property
    def repeatable(self) -> bool:
        """Whether calling it once more does no harm."""
        return self.read_only or self.idempotent


class Identity(Struct, frozen=True):
    """Whose call it is, and what tells it from every other."""

    principal: str
    key: str
    trace: str = ""
    """Handed on to the tool's service."""


class ManagedTools:
    """All tools that the configuration names. Whoever makes one starts and closes it."""

    def __init__(
        self,
        config: Config,
        environ: Mapping[str, str],
        processes: Processes,
        notice: Callable[[str], None],
    ) -> None:
        self._config = config
        self._servers = Servers(config, environ, processes, notice)
        self._endpoints = {
            name: Endpoint(name, tool, environ, config.egress) for name, tool in config.http.items()
        }

    async def start(self, wait: float) -> None:
        """Connect to the servers; those that take longer than `wait` seconds come later."""
        await self._servers.start(wait)

    async def close(self) -> None:
        await self._servers.close()

    @property
    def some(self) -> bool:
        """Whether there may be any tools, now or when a server is there again."""
        return bool(self._config.http or self._servers.names)

    @property
    def beginnings(self) -> tuple[str, ...]:
        """How the presented names of managed tools begin, where they have a group."""
        groups = {name.partition(".")[0] for name in self._config.http if "." in name}
        groups |= set(self._servers.names)
        return tuple(f"{plain(group)}_" for group in sorted(groups))

    def offered(self, principal: str, patterns: tuple[str, ...]) -> dict[str, Managed]:
        """Return the principal's tools that match one of the patterns, by name."""
        tools = {name: self._endpoint(name, tool) for name, tool in self._config.http.items()}
        for server in self._servers.names:
            for definition in self._servers.tools(principal, server):
                tool = self._of_server(server, definition)
                if tool is not None:
                    tools.setdefault(tool.name, tool)
        return self.permitted(dict(sorted(tools.items())), patterns)

    def permitted(
        self, tools: Mapping[str, Managed], patterns: tuple[str, ...]
    ) -> dict[str, Managed]:
        """Return those of the tools that match one of the patterns and are not hidden."""
        return {
            name: tool
            for name, tool in tools.items()
            if any(fnmatchcase(name, pattern) for pattern in patterns)
            and not self._config.treat.get(name, _TREATMENT).hidden
        }

    async def call(self, tool: Managed, arguments: dict[str, Any], whose: Identity) -> Envelope:
        """Call it, within its time; never raises but when it is cancelled."""
        limits = self._config.limits
        seconds = tool.timeout or limits.tool_timeout
        try:
            async with asyncio.timeout(seconds):
                if endpoint := self._endpoints.get(tool.name):
                    return await endpoint.call(
                        arguments, (whose.key, whose.trace), limits.result_bytes
                    )
                return await self._call_server(tool, arguments, whose.principal)
        except TimeoutError:
            said = sentence("timeout", seconds=f"{seconds:g}")
            return failure("timeout", said, 504)

    async def _call_server(
        self, tool: Managed, arguments: dict[str, Any], principal: str
    ) -> Envelope:
        name = tool.name.removeprefix(f"{tool.service}.")
        limit = self._config.limits.result_bytes
        try:
            reached = (principal, tool.service, name)
            output = await self._servers.call(reached, arguments, again=tool.repeatable)
        except UnusableError:
            return failure("server_unavailable", f"server {tool.service!r} is not there", 503)
        except ToolError as error:
            if error.code is Code.TIMED_OUT:
                return failure("timeout", str(error), 504)
            return failure("mcp_error", str(error))
        match output:
            case Failure(text=text):
                return failure("tool_error", text[:limit])
            case Blocks(text=text, images=images):
                shown = tuple((image.media_type, image.data) for image in images)
                return success(text, limit, images=shown)
            case _:
                return success(_structured(str(output)), limit)

    def _of_server(self, server: str, definition: Definition) -> Managed | None:
        name = f"{server}.{definition.name}"
        treatment = self._config.treat.get(name, _TREATMENT)
        made = schema(definition)
        if made is None:
            return None
        read_only = definition.read_only if treatment.read_only is None else treatment.read_only
        return Managed(
            name,
            definition.description,
            made,
            server,
            "mcp",
            read_only=read_only,
            idempotent=treatment.idempotent,
            volatile=treatment.volatile,
            ends_turn=treatment.ends_turn,
            timeout=treatment.timeout,
        )

    def _endpoint(self, name: str, tool: HttpTool) -> Managed:
        parameters: dict[str, Any] = {"type": "object", "properties": {}, **tool.parameters}
        return Managed(
            name,
            tool.description,
            Raw(msgspec.json.encode(parameters)),
            name.partition(".")[0],
            "http",
            read_only=tool.read_only,
            idempotent=tool.idempotent,
            volatile=tool.volatile,
            ends_turn=tool.ends_turn,
            timeout=tool.timeout,
        )


def _structured(text: str) -> object:
    """Return what the text means if it is a JSON object: the model reads no quotes of quotes."""
    if not text.startswith("{"):
        return text
    try:
        msgspec.json.decode(text, type=dict[str, Any])
    except (msgspec.DecodeError, RecursionError):
        return text
    return Raw(text.encode())

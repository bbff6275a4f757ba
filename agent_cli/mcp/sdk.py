"""The `mcp` SDK in our own words. Half a second to import: only `connection.py` does, in a thread.

How it is reached stands in `transports.py`.
"""

import asyncio
import logging
from collections.abc import AsyncGenerator, Callable
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from typing import Any

import mcp_types as wire
from mcp import Client
from mcp.shared.exceptions import MCPError
from mcp_types.version import MODERN_PROTOCOL_VERSIONS
from pydantic import ValidationError

from agent_cli import __version__
from agent_cli.mcp.config import Server
from agent_cli.mcp.definitions import Definition, Resource, plain
from agent_cli.mcp.results import Part, rendered
from agent_cli.mcp.transports import address, program
from agent_cli.processes.dialogue import Dialogue
from agent_cli.tools.base import Output
from agent_cli.types.errors import ToolError
from agent_cli.types.outcomes import Code

_PAGES = 50
_MOST = 1_000
"""Tools, or resources, of one server."""
_US = wire.Implementation(name="agent", version=__version__)

logging.getLogger("mcp").addHandler(logging.NullHandler())  # or it would write to our terminal


class Session:
    """An open connection. What it raises are ToolErrors, and ConnectionError when it is lost."""

    def __init__(self, name: str, timeout: float) -> None:
        self._name = name
        self._timeout = timeout
        self._client: Client | None = None
        self._woken = asyncio.Event()
        self.listed = asyncio.Event()
        """Set while nothing speaks against the tools that were listed last."""
        self.ended = False
        self.forgotten = False
        """Whether the server has said that there is no such session."""

    def forget(self) -> None:
        self.forgotten = True

    async def changed(self) -> bool:
        """Wait until the tools have changed, or it is over: then return False."""
        await self._woken.wait()
        self._woken.clear()
        return not self.ended

    def end(self) -> None:
        self.ended = True
        self._woken.set()
        self.listed.set()

    def outdated(self) -> None:
        self.listed.clear()
        self._woken.set()

    def settled(self) -> None:
        """Say that the tools were listed, unless they have changed meanwhile."""
        if not self._woken.is_set():
            self.listed.set()

    def opened(self, client: Client) -> None:
        self._client = client

    @property
    def client(self) -> Client:
        assert self._client is not None
        return self._client

    async def tools(self) -> tuple[Definition, ...]:
        """Ask which tools there are."""
        found: list[Definition] = []
        if self.client.server_capabilities.tools is None:
            return ()
        cursor = None
        for _ in range(_PAGES):
            page = await self.client.list_tools(cursor=cursor)
            found += [
                Definition(
                    one.name,
                    plain(one.description or ""),
                    one.input_schema,
                    read_only=bool(one.annotations and one.annotations.read_only_hint),
                )
                for one in page.tools
            ]
            cursor = page.next_cursor
            if not cursor or len(found) >= _MOST:
                break
        return tuple(found[:_MOST])

    async def resources(self) -> tuple[Resource, ...]:
        """Ask for the first resources, and the first templates of resources."""
        if self.client.server_capabilities.resources is None:
            return ()
        found: list[Resource] = []
        with suppress(MCPError):  # who has one of the two need not know the other
            listed = await self.client.list_resources()
            found += [_resource(one.uri, one.name, one.description) for one in listed.resources]
        with suppress(MCPError):
            templates = (await self.client.list_resource_templates()).resource_templates
            found += [_resource(one.uri_template, one.name, one.description) for one in templates]
        return tuple(found[:_MOST])

    async def call(
        self, tool: str, arguments: dict[str, Any], tell: Callable[[str], None]
    ) -> Output:
        """Call a tool."""

        async def told(progress: float, total: float | None, message: str | None) -> None:
            counted = f"{progress:g} of {total:g}" if total else f"{progress:g}"
            tell(plain(message or counted) + "\n")

        async with self._answering(tool):
            result = await self.client.call_tool(tool, arguments, progress_callback=told)
            parts = tuple(_part(block) for block in result.content)
            return rendered(parts, result.structured_content, is_error=result.is_error)
        raise AssertionError

    async def read(self, uri: str) -> Output:
        """Read a resource."""
        async with self._answering(uri):
            result = await self.client.read_resource(uri)
            return rendered(tuple(_contents(one) for one in result.contents))
        raise AssertionError

    @asynccontextmanager
    async def _answering(self, what: str) -> AsyncGenerator[None]:
        """Turn what goes wrong into words for the model."""
        try:
            async with asyncio.timeout(self._timeout):
                yield
        except TimeoutError:
            raise ToolError(
                f"server {self._name!r} did not answer within {self._timeout:g} seconds: what it "
                "was asked for may have happened or not",
                Code.TIMED_OUT,
            ) from None
        except MCPError as error:
            if self.forgotten:
                raise ConnectionResetError("it knows the session no more") from error
            if error.code == wire.CONNECTION_CLOSED:
                raise ConnectionResetError("the connection was closed") from error
            raise ToolError(
                f"server {self._name!r}, {what!r}: {plain(error.message)} (error {error.code})"
            ) from error
        except (ValidationError, RuntimeError) as error:
            raise ToolError(
                f"server {self._name!r} gave no valid answer: {plain(str(error), 500)}"
            ) from error


@asynccontextmanager
async def opened(server: Server, dialogue: Dialogue | None) -> AsyncGenerator[Session]:
    """Connect; to be left in the task that entered it. With a dialogue, talk with that program."""
    session = Session(server.name, server.timeout)

    async def hear(message: object) -> None:
        if isinstance(message, wire.ToolListChangedNotification):
            session.outdated()

    async with AsyncExitStack() as stack:
        if dialogue is not None:
            transport = program(dialogue, session.end)
        else:
            transport = address(server.url, server.headers, server.timeout, session.forget)
        client = Client(transport, client_info=_US, message_handler=hear, cache=None)
        session.opened(await stack.enter_async_context(client))
        watching = asyncio.create_task(_watch(client, session))
        watching.add_done_callback(_forget)
        try:
            yield session
        finally:
            watching.cancel()
            await asyncio.wait({watching})


async def _watch(client: Client, session: Session) -> None:
    """Hear of changed tools, where that has to be asked for."""
    tools = client.server_capabilities.tools
    if client.protocol_version not in MODERN_PROTOCOL_VERSIONS or not (
        tools and tools.list_changed
    ):
        return
    async with client.listen(tools_list_changed=True) as changes:
        async for _ in changes:
            session.outdated()


def _forget(task: "asyncio.Task[None]") -> None:
    """Take no notice of how it ended: who cannot listen does without."""
    if not task.cancelled():
        task.exception()


def _resource(uri: str, name: str, description: str | None) -> Resource:
    return Resource(plain(uri, 500), plain(name, 200), plain(description or "", 500))


def _part(block: wire.ContentBlock) -> Part:
    match block:
        case wire.TextContent(text=text):
            return Part(text=text)
        case (
            wire.ImageContent(data=data, mime_type=media)
            | wire.AudioContent(data=data, mime_type=media)
        ):
            return Part(data=data, media_type=media)
        case wire.EmbeddedResource(resource=resource):
            return _contents(resource)
        case wire.ResourceLink(uri=uri, name=name):
            return Part(text=f"[resource {name}: {uri}]")


def _contents(contents: wire.TextResourceContents | wire.BlobResourceContents) -> Part:
    if isinstance(contents, wire.TextResourceContents):
        return Part(text=contents.text)
    return Part(data=contents.blob, media_type=contents.mime_type or "application/octet-stream")

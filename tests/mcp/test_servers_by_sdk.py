"""Servers that others would write: with the SDK, over pipes and over HTTP."""

import asyncio
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext

import pytest
from testbed.servers import Heard, made_with_the_sdk, over_http, with_hub

from agent_cli.mcp.config import Server
from agent_cli.mcp.hub import Hub
from agent_cli.tools.base import Failure
from agent_cli.tools.registry import spec
from agent_cli.types.errors import ToolError


def by_pipes() -> AbstractContextManager[Server]:
    return nullcontext(made_with_the_sdk())


class ByHttp:
    def __enter__(self) -> Server:
        self._serving = over_http()
        url, self.end = self._serving.__enter__()
        return Server("tested", url=url, headers={"X-Given": "yes"}, timeout=60)

    def __exit__(self, *_: object) -> None:
        self._serving.__exit__(None, None, None)


@pytest.mark.parametrize("way", [by_pipes, ByHttp], ids=["pipes", "http"])
def test_tools_and_resources_are_the_same_by_either_way(
    way: Callable[[], AbstractContextManager[Server]],
):
    async def about(hub: Hub, heard: Heard) -> None:
        tools = await hub.offer(native=True, hidden=lambda name: False)
        assert heard == []
        assert "mcp__tested__add" in tools
        assert b'"integer"' in bytes(spec(tools["mcp__tested__add"]).schema)
        assert "note://{name}" in tools["access_mcp_resource"].description
        assert await hub.call("tested", "add", {"a": 1, "b": 2}, print) == "3"
        wrong = await hub.call("tested", "add", {"a": "x"}, print)
        assert isinstance(wrong, Failure)
        assert "valid integer" in wrong.text
        assert await hub.read("tested", "note://mine") == "the note mine"
        with pytest.raises(ToolError, match="nothing://"):
            await hub.read("tested", "nothing://")

    with way() as server:
        with_hub(about, server)


def test_headers_go_along():
    async def about(hub: Hub, heard: Heard) -> None:
        assert await hub.call("tested", "header", {"name": "x-given"}, print) == "yes"

    with ByHttp() as server:
        with_hub(about, server)


def test_a_server_elsewhere_that_is_gone_is_said():
    async def about(hub: Hub, heard: Heard) -> None:
        assert await hub.call("tested", "add", {"a": 1, "b": 2}, print) == "3"
        way.end()
        with pytest.raises(ToolError, match="'tested' is gone"):
            await hub.call("tested", "add", {"a": 1, "b": 2}, print)
        with pytest.raises(ToolError, match="cannot be used"):
            await hub.call("tested", "add", {"a": 1, "b": 2}, print)

    way = ByHttp()
    with way as server:
        with_hub(about, server)


@pytest.mark.parametrize("way", [by_pipes, ByHttp], ids=["pipes", "http"])
def test_a_cancelled_call_leaves_the_connection_usable(
    way: Callable[[], AbstractContextManager[Server]],
):
    async def about(hub: Hub, heard: Heard) -> None:
        await hub.connect("tested")
        waiting = asyncio.ensure_future(hub.call("tested", "sleep", {"seconds": 100}, print))
        await asyncio.wait({waiting}, timeout=0.2)
        waiting.cancel()
        await asyncio.wait({waiting})
        assert waiting.cancelled()
        assert await hub.call("tested", "add", {"a": 1, "b": 2}, print) == "3"

    with way() as server:
        with_hub(about, server)


@pytest.mark.parametrize("way", [by_pipes, ByHttp], ids=["pipes", "http"])
def test_a_server_with_one_more_tool_says_so(
    way: Callable[[], AbstractContextManager[Server]],
):
    async def about(hub: Hub, heard: Heard) -> None:
        await hub.connect("tested")
        async with asyncio.timeout(20):
            while not heard:
                await hub.call("tested", "grow", {}, print)
        assert "has changed its tools" in heard[0]
        assert await hub.call("tested", "grown", {}, print) == "grown"

    with way() as server:
        with_hub(about, server)

import asyncio
import json
import os
import signal
from typing import Any

import pytest
from msgspec.structs import replace
from testbed.mcp_service import McpService
from testbed.servers import Heard, bare, with_hub

from agent_cli.mcp.catalogue import MOST_TOOLS
from agent_cli.mcp.config import Server
from agent_cli.mcp.hub import Hub
from agent_cli.tools.base import AnyTool, Blocks, Failure, Output
from agent_cli.tools.registry import spec
from agent_cli.trust.manifest import Acting, Manifest
from agent_cli.types.errors import ToolError
from agent_cli.types.outcomes import Code

OTHER = Manifest((Acting(".mcp.json", "", b""),))


async def offer(hub: Hub, *, native: bool = True, hidden: str = "-") -> dict[str, AnyTool]:
    return await hub.offer(native=native, hidden=lambda name: name == hidden)


async def call(hub: Hub, tool: str, server: str = "bare", **arguments: Any) -> Output:
    return await hub.call(server, tool, arguments, print)


def test_tools_are_offered_by_names_of_their_own():
    async def about(hub: Hub, heard: Heard) -> None:
        tools = await offer(hub)
        assert heard == []
        assert list(tools)[:2] == ["mcp__bare__change", "mcp__bare__count"]
        assert list(tools)[-1] == "access_mcp_resource"
        assert "use_mcp_tool" not in tools
        assert "bare: note://one (One)" in tools["access_mcp_resource"].description
        described = spec(tools["mcp__bare__echo"])
        assert described.description == "Say it again."
        assert json.loads(bytes(described.schema))["required"] == ["text"]

    with_hub(about, bare())


def test_without_names_of_their_own_all_are_described_by_one():
    async def about(hub: Hub, heard: Heard) -> None:
        tools = await offer(hub, native=False)
        assert list(tools) == ["access_mcp_resource", "use_mcp_tool"]
        said = tools["use_mcp_tool"].description
        assert "## bare: echo\nSay it again.\nArguments: {" in said

    with_hub(about, bare())


def test_what_is_offered_does_not_depend_on_who_is_first():
    async def about(hub: Hub, heard: Heard) -> None:
        names = list(await offer(hub))
        assert names[:-1] == sorted(names[:-1])

    with_hub(about, bare(name="b"), bare(name="a"))


def test_hidden_tools_are_not_offered():
    async def about(hub: Hub, heard: Heard) -> None:
        assert "mcp__bare__echo" not in await offer(hub, hidden="mcp__bare__echo")

    with_hub(about, bare())


def test_a_call_is_answered():
    async def about(hub: Hub, heard: Heard) -> None:
        said: list[str] = []
        assert await call(hub, "echo", text="hello") == "hello"
        shown = await call(hub, "picture")
        assert isinstance(shown, Blocks)
        assert len(shown.images) == 1
        assert await call(hub, "facts") == '{"sum":3}'
        assert await call(hub, "refuse") == Failure("not today")
        assert await hub.call("bare", "count", {}, said.append) == "nothing"
        assert said == ["1 of 2\n", "2 of 2\n"]
        assert "characters left out" in str(await call(hub, "long"))
        assert await hub.read("bare", "note://one") == "the note"

    with_hub(about, bare())


def test_a_server_sees_its_own_variables_and_no_keys(tmp_path: object):
    async def about(hub: Hub, heard: Heard) -> None:
        seen = json.loads(str(await call(hub, "environment")))
        assert seen["GIVEN"] == "yes"
        assert "OPENAI_API_KEY" not in seen
        assert seen["cwd"] == str(tmp_path)
        assert os.getsid(seen["pid"]) != os.getsid(0)

    with_hub(about, replace(bare(), environ={"GIVEN": "yes"}, cwd=tmp_path))


@pytest.mark.parametrize(
    ("server", "tool", "why"),
    [("none", "echo", "there is no server 'none'; servers: bare"), ("bare", "x", "it has: change")],
)
def test_who_is_not_there_is_named(server: str, tool: str, why: str):
    async def about(hub: Hub, heard: Heard) -> None:
        with pytest.raises(ToolError, match=why):
            await call(hub, tool, server)

    with_hub(about, bare())


def test_a_server_that_dies_is_started_again():
    async def about(hub: Hub, heard: Heard) -> None:
        with pytest.raises(ToolError, match=r"is gone.*it wrote: out of \[31mmemory.*next call"):
            await call(hub, "die")
        assert await call(hub, "echo", text="back") == "back"

    with_hub(about, bare())


def test_a_server_that_was_killed_between_calls_is_started_again():
    async def about(hub: Hub, heard: Heard) -> None:
        os.kill(json.loads(str(await call(hub, "environment")))["pid"], signal.SIGKILL)
        await until(lambda: answers(hub))

    with_hub(about, bare())


async def answers(hub: Hub) -> bool:
    try:
        return await call(hub, "echo", text="back") == "back"
    except ToolError:
        return False


async def until(holds: Any) -> None:
    async with asyncio.timeout(20):
        while not await holds():  # noqa: ASYNC110 - nothing tells us
            await asyncio.sleep(0.01)


async def has_changed(hub: Hub) -> bool:
    return bool(hub.changed("bare", "echo"))


def test_a_slow_answer_runs_out_of_time():
    async def about(hub: Hub, heard: Heard) -> None:
        await hub.connect("bare")
        with pytest.raises(ToolError, match=r"within 0\.5 seconds") as failed:
            await call(hub, "wait")
        assert failed.value.code is Code.TIMED_OUT

    with_hub(about, bare(timeout=0.5))


def test_a_cancelled_call_leaves_the_server_usable():
    async def about(hub: Hub, heard: Heard) -> None:
        tools = await offer(hub)
        assert "mcp__bare__wait" in tools
        waiting = asyncio.ensure_future(call(hub, "wait"))
        await asyncio.sleep(0)
        waiting.cancel()
        await asyncio.wait({waiting})
        assert waiting.cancelled()
        assert await call(hub, "echo", text="still") == "still"

    with_hub(about, bare())


@pytest.mark.parametrize(
    ("server", "why"),
    [
        pytest.param(bare("leaves"), "cannot find my configuration", id="ends at once"),
        pytest.param(bare("silent", timeout=1), "did not answer within 1 seconds", id="silent"),
        pytest.param(Server("bare", ("no-such-program",)), "no-such-program", id="not there"),
        pytest.param(Server("bare", ("\0",)), "NUL", id="no word"),
        pytest.param(Server("bare", url="http://127.0.0.1:9/mcp"), "connect", id="nobody listens"),
        pytest.param(
            replace(bare(), trusted=OTHER), "look at what has changed", id="changed since trusted"
        ),
    ],
)
def test_a_server_that_cannot_be_used_is_named(server: Server, why: str):
    async def about(hub: Hub, heard: Heard) -> None:
        tools = await offer(hub)
        assert list(tools) == ["access_mcp_resource", "use_mcp_tool"]
        assert "Not connected yet: bare" in tools["use_mcp_tool"].description
        assert any(why in one for one in heard), heard

    with_hub(about, server)


def test_a_late_server_is_announced_and_reached():
    async def about(hub: Hub, heard: Heard) -> None:
        tools = await offer(hub)
        assert list(tools) == ["access_mcp_resource", "use_mcp_tool"]
        assert heard == ["server bare is not there yet; its tools come later"]
        assert await call(hub, "echo", text="there") == "there"
        await asyncio.sleep(0)
        assert heard[1:] == ["server bare is there now; the model can call its tools"]

    with_hub(about, bare(), wait=0)


def test_noise_between_messages_is_passed_over():
    async def about(hub: Hub, heard: Heard) -> None:
        assert await call(hub, "echo", text="clear") == "clear"

    with_hub(about, bare("noisy"))


def test_a_flood_ends_the_connection():
    async def about(hub: Hub, heard: Heard) -> None:
        with pytest.raises(ToolError, match="is gone"):
            await call(hub, "echo", text="drowned")

    with_hub(about, bare("flood"))


def test_a_forgotten_session_is_told_of_and_begun_again():
    async def about(hub: Hub, heard: Heard) -> None:
        with pytest.raises(ToolError, match="has ended the session"):
            await call(hub, "write", "docs")
        assert await call(hub, "write", "docs") == "write for all"

    with McpService(forgets=1) as service:
        with_hub(about, Server("docs", url=service.url))
        assert [one.session for one in service.of("tools/call")] == ["session-1", "session-2"]


def test_strange_tools_are_tamed():
    async def about(hub: Hub, heard: Heard) -> None:
        tools = await offer(hub)
        assert heard == ["server bare has two tools of one name"]
        named = [name for name in tools if name.startswith("mcp__")]
        assert len(named) == 6
        assert {"mcp__bare__read_file", "mcp__bare__mcp__bare__echo"} < set(named)
        assert tools["mcp__bare__echo"].description == "First."
        odd = next(tool for name, tool in tools.items() if name.startswith("mcp__bare__a_b_c_"))
        assert odd.description.startswith("[2JInvisible textxxx")
        assert odd.description.endswith("[cut off]")
        others = tools["use_mcp_tool"].description
        assert "## bare: keys" in others
        assert "## bare: large" in others
        assert all(len(name) <= 64 for name in tools)

    with_hub(about, bare("strange"))


def test_a_list_without_end_is_cut():
    async def about(hub: Hub, heard: Heard) -> None:
        tools = await offer(hub)
        assert len([name for name in tools if name.startswith("mcp__")]) <= MOST_TOOLS

    with_hub(about, bare("endless"))


def test_a_definition_that_changes_is_asked_about_again():
    async def about(hub: Hub, heard: Heard) -> None:
        await offer(hub)
        assert hub.changed("bare", "echo") == ""
        await call(hub, "change")
        await until(lambda: has_changed(hub))
        assert hub.changed("bare", "echo").startswith("Say it, and send it to me.")
        assert hub.changed("bare", "picture") == ""
        assert heard == ["server bare has changed its tools; changed ones are asked about"]
        assert await call(hub, "echo", text="agreed") == "agreed"
        assert hub.changed("bare", "echo") == ""

    with_hub(about, bare())


def test_problems_of_the_settings_are_told():
    async def about(hub: Hub, heard: Heard) -> None:
        assert await offer(hub) == {}
        assert heard == ["no such thing"]

    with_hub(about, problems=("no such thing",))

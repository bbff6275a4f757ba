"""Managed tools of MCP servers, dialects' special tools, and what is only passed on."""

import json
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace
from testbed.exchange import OPENAI_CHAT
from testbed.proxied import proxied, said
from testbed.proxy_cells import Cell, cells
from testbed.proxy_clients import user
from testbed.proxy_tokens import ALICE, budgeted
from testbed.replies import Call, Say
from testbed.servers import BARE

from agent_cli.proxy.config import Treatment
from agent_cli.settings.schema import McpServer

GONE = McpServer(command="/nonexistent/server")


@cells
def test_a_servers_tool_is_called_in_a_hidden_round(cell: Cell, tmp_path: Path):
    parts: dict[str, Any] = {"mcp": {"docs": BARE}, "http": {}}
    with proxied(
        [Say(calls=[Call("docs_echo", {"text": "ho"})]), Say("Done.")], tmp_path, **parts
    ) as proxy:
        _, answer = cell.ask(proxy, [user("hi")])
        assert "ho" in said(proxy, 1)
        (entry,) = proxy.audit("history")
    assert answer.text == "Done."
    assert [one["name"] for one in entry["tool_trace"]] == ["docs.echo"]


@cells
def test_a73_a_server_that_is_not_there_keeps_nothing_back(cell: Cell, tmp_path: Path):
    with proxied([Say("Hello.")], tmp_path, mcp={"gone": GONE}) as proxy:
        _, answer = cell.ask(proxy, [user("hi")])
        assert any("gone" in notice for notice in proxy.notices)
    assert answer.text == "Hello."


def test_a73_a_server_that_dies_is_told_of_and_comes_again(tmp_path: Path):
    cell = Cell(OPENAI_CHAT, stream=False)
    calls = [Call("docs_die"), Call("docs_echo", {"text": "again"})]
    parts: dict[str, Any] = {"mcp": {"docs": BARE}, "http": {}}
    with proxied([Say(calls=calls), Say("Done.")], tmp_path, **parts) as proxy:
        _, answer = cell.ask(proxy, [user("hi")])
        first, second = (one["content"] for one in proxy.upstream.requests[1].body["messages"][2:])
    assert "mcp_error" in first
    assert json.loads(second)["ok"] is True
    assert answer.text == "Done."


def test_a_hidden_tool_and_one_that_fails(tmp_path: Path):
    cell = Cell(OPENAI_CHAT, stream=False)
    parts: dict[str, Any] = {
        "mcp": {"docs": BARE},
        "http": {},
        "treat": {"docs.echo": Treatment(hidden=True), "docs.refuse": Treatment(read_only=True)},
    }
    with proxied([Say(calls=[Call("docs_refuse")]), Say("Done.")], tmp_path, **parts) as proxy:
        cell.ask(proxy, [user("hi")])
        tools = [one["function"]["name"] for one in proxy.upstream.requests[0].body["tools"]]
        assert "tool_error" in said(proxy, 1)
    assert "docs_echo" not in tools
    assert "docs_refuse" in tools


@cells
def test_a_name_that_only_looks_like_ours_is_not_given_to_the_client(cell: Cell, tmp_path: Path):
    script = [Say(calls=[Call("docs_made_up", {})]), Say("Done.")]
    parts: dict[str, Any] = {"mcp": {"docs": BARE}, "http": {}}
    with proxied(script, tmp_path, **parts) as proxy:
        _, answer = cell.ask(proxy, [user("hi")])
        assert "unsupported_tool" in said(proxy, 1)
    assert answer.text == "Done."


def test_a73_a_conversation_keeps_the_tools_that_it_began_with(tmp_path: Path):
    cell = Cell(OPENAI_CHAT, stream=False)
    script = [Say("Hello.")]
    with proxied(script, tmp_path) as proxy:
        first = proxy.ask(cell.path, cell.request([user("hi")]), {"x-session-id": "s"})
        before = proxy.upstream.requests[0].body["tools"]
    with proxied([Say("x"), Say("y")], tmp_path, mcp={"docs": BARE}) as proxy:
        proxy.ask(cell.path, cell.request([user("hi")]), {"x-session-id": "s"})
        proxy.ask(cell.path, cell.request([user("hi")]), {"x-session-id": "other"})
        same, other = (one.body["tools"] for one in proxy.upstream.requests)
    assert first.status == 200
    assert same == before
    assert len(other) > len(same)


FREE = budgeted()
BOUND = {name: replace(token, tools=("crm*",)) for name, token in FREE["tokens"].items()}
FORBIDDEN: list[Any] = [
    pytest.param({"tokens": BOUND}, id="not for them"),
    pytest.param({"treat": {"docs.search": Treatment(hidden=True)}}, id="for nobody"),
]


@pytest.mark.parametrize("changed", FORBIDDEN)
def test_a73_a_conversation_does_not_keep_a_tool_that_is_forbidden_now(
    changed: dict[str, Any], tmp_path: Path
):
    cell = Cell(OPENAI_CHAT, stream=False)
    about = {**ALICE, "x-session-id": "s"}
    with proxied([Say("Hello.")], tmp_path, **FREE) as proxy:
        cell.ask(proxy, [user("hi")], about)
        assert "docs_search" in str(proxy.upstream.requests[0].body["tools"])
    with proxied([Say("Hello.")], tmp_path, **FREE | changed) as proxy:
        cell.ask(proxy, [user("more")], about)
        shown = str(proxy.upstream.requests[0].body["tools"])
    assert "docs_search" not in shown
    assert "crm_update" in shown

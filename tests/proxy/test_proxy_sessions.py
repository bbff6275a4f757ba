"""Sessions with MCP servers: whose they are, what a forgotten one costs, how calls are ended."""

import json
import sys
from pathlib import Path
from typing import Any

import pytest
from testbed.exchange import OPENAI_CHAT
from testbed.mcp_service import McpService
from testbed.proxied import ENVIRON, Proxied, proxied
from testbed.proxy_cells import Cell, cells
from testbed.proxy_clients import user
from testbed.replies import Call, Say
from testbed.servers import HERE

from agent_cli.proxy.config import Token, Treatment
from agent_cli.settings.schema import McpServer

CHAT = Cell(OPENAI_CHAT, stream=False)
READ = Call("docs_read", {"text": "x"})
WRITE = Call("docs_write", {"text": "y"})
WAIT = Call("docs_wait", {})
PRINCIPALS = {"alice": "alice-token-0123456789", "bob": "bob-token-0123456789"}
DOCS = {"alice": "Bearer alice-at-docs", "bob": "Bearer bob-at-docs"}


def reached(service: McpService, **headers: str) -> McpServer:
    return McpServer(url=service.url, headers=headers)


def at(service: McpService, **parts: Any) -> dict[str, Any]:
    return {"mcp": {"docs": reached(service)}, "http": {}, **parts}


def two(
    service: McpService, monkeypatch: pytest.MonkeyPatch, headers: dict[str, str]
) -> dict[str, Any]:
    """Two principals; `headers` say who each of them is to the server."""
    tokens: dict[str, Token] = {}
    for name, token in PRINCIPALS.items():
        monkeypatch.setitem(ENVIRON, f"{name.upper()}_TOKEN", token)
        own = {"docs": {"authorization": headers[name]}} if name in headers else {}
        tokens[name] = Token(env=f"{name.upper()}_TOKEN", mcp=own)
    server = reached(service, Authorization="Bearer operator")
    return {"mcp": {"docs": server}, "http": {}, "tokens": tokens, "server": {"auth": "tokens"}}


def ask_as(cell: Cell, proxy: Proxied, name: str) -> str:
    _, answer = cell.ask(proxy, [user("hi")], {"x-api-key": PRINCIPALS[name]})
    return answer.text


def results(proxy: Proxied, number: int = 1) -> list[Any]:
    messages = proxy.upstream.requests[number].body["messages"]
    return [json.loads(one["content"]) for one in messages if one["role"] == "tool"]


@cells
def test_p24_each_principal_has_a_session_by_credentials_of_their_own(
    cell: Cell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    script = [Say(calls=[READ]), Say("One."), Say(calls=[READ]), Say("Two.")]
    with McpService() as service:
        parts = two(service, monkeypatch, DOCS)
        with proxied(script, tmp_path, **parts) as proxy:
            assert ask_as(cell, proxy, "alice") == "One."
            assert ask_as(cell, proxy, "bob") == "Two."
        called = service.executed
        everything = service.asked
    assert [one.authorization for one in called] == [DOCS["alice"], DOCS["bob"]]
    assert called[0].session != called[1].session
    used = {(one.session, one.authorization) for one in everything if one.session}
    assert len({session for session, _ in used}) == len(used)


def test_a73_principals_without_credentials_of_their_own_share_no_session(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    script = [Say(calls=[READ]), Say("1"), Say(calls=[READ]), Say("2"), Say(calls=[WRITE]), Say("")]
    with McpService() as service:
        with proxied(script, tmp_path, **two(service, monkeypatch, {})) as proxy:
            for name in ("alice", "bob", "alice"):
                ask_as(CHAT, proxy, name)
        first, second, third = service.executed
    assert {one.authorization for one in (first, second, third)} == {"Bearer operator"}
    assert first.session == third.session != second.session


def test_a73_credentials_that_are_not_there_are_not_replaced_by_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    headers = {"alice": "Bearer ${NOT_SET}"}
    script = [Say("None."), Say(calls=[READ]), Say("Some.")]
    with McpService() as service:
        with proxied(script, tmp_path, **two(service, monkeypatch, headers)) as proxy:
            assert ask_as(CHAT, proxy, "alice") == "None."
            assert ask_as(CHAT, proxy, "bob") == "Some."
            assert "docs_read" not in json.dumps(proxy.upstream.requests[0].body)
            assert any("alice" in one and "NOT_SET" in one for one in proxy.notices)
        assert len(service.executed) == 1


def test_a73_a_pinned_tool_is_not_reached_by_the_credentials_of_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    about = {"x-api-key": PRINCIPALS["alice"], "x-session-id": "s"}
    with McpService() as service:
        parts = two(service, monkeypatch, DOCS)
        del parts["http"]
        with proxied([Say("Hello.")], tmp_path, **parts) as proxy:
            CHAT.ask(proxy, [user("hi")], about)
        parts = two(service, monkeypatch, {"alice": "Bearer ${NOT_SET}"})
        del parts["http"]
        with proxied([Say(calls=[READ]), Say("Done.")], tmp_path, **parts) as proxy:
            CHAT.ask(proxy, [user("more")], about)
            (said,) = results(proxy)
        assert service.executed == []
    assert said["error"]["code"] == "server_unavailable"


@cells
def test_a73_a_forgotten_session_is_begun_again_once(cell: Cell, tmp_path: Path):
    other = Call("docs_read", {"text": "z"})
    with McpService() as service:
        with proxied([Say(calls=[READ, other]), Say("Done.")], tmp_path, **at(service)) as proxy:
            service.forget()
            _, answer = cell.ask(proxy, [user("hi")])
            (entry,) = proxy.audit("history")
        assert len(service.of("initialize")) == 2
        assert sorted(one.params["arguments"]["text"] for one in service.executed) == ["x", "z"]
    assert answer.text == "Done."
    assert [one["status"] for one in entry["tool_trace"]] == ["ok", "ok"]


def test_a73_a_session_that_is_forgotten_again_is_not_begun_a_third_time(tmp_path: Path):
    with McpService(forgets=9) as service:
        with proxied([Say(calls=[READ]), Say("Done.")], tmp_path, **at(service)) as proxy:
            CHAT.ask(proxy, [user("hi")])
            (said,) = results(proxy)
        assert len(service.of("initialize")) == 2
        assert len(service.of("tools/call")) == 2
    assert said["error"]["code"] == "mcp_error"


@cells
def test_a73_a_call_with_a_side_effect_is_made_once_though_its_session_is_forgotten(
    cell: Cell, tmp_path: Path
):
    script = [Say(calls=[WRITE, READ]), Say("Done.")]
    with McpService(forgets=1, late=True) as service:
        with proxied(script, tmp_path, **at(service)) as proxy:
            _, answer = cell.ask(proxy, [user("hi")])
            (entry,) = proxy.audit("history")
        assert [one.tool for one in service.executed] == ["write", "read"]
        assert [one.tool for one in service.of("tools/call")] == ["write", "read"]
        assert len(service.of("initialize")) == 2
    assert answer.text == "Done."
    assert [one["status"] for one in entry["tool_trace"]] == ["mcp_error", "ok"]


def test_a73_an_idempotent_call_is_made_again(tmp_path: Path):
    treat = {"docs.write": Treatment(idempotent=True)}
    with McpService(forgets=1) as service:
        parts = at(service, treat=treat)
        with proxied([Say(calls=[WRITE]), Say("Done.")], tmp_path, **parts) as proxy:
            CHAT.ask(proxy, [user("hi")])
            (said,) = results(proxy)
        assert len(service.executed) == 1
    assert said["ok"] is True


@cells
def test_a73_changed_tools_are_for_new_conversations(cell: Cell, tmp_path: Path):
    words = ("-I", str(HERE / "bare_server.py"))
    parts: dict[str, Any] = {"mcp": {"docs": McpServer(command="python3", args=words)}, "http": {}}
    change = [Say(calls=[Call("docs_change", {}), Call("docs_echo", {"text": "a"})]), Say("1")]
    with proxied([*change, Say("2"), Say("3")], tmp_path, **parts) as proxy:
        for session in ("old", "old", "new"):
            about = {"x-session-id": session, "x-agent-proxy-dedupe": "off"}
            cell.ask(proxy, [user("hi")], about)
        before, hidden, old, new = (
            json.dumps(one.body["tools"]) for one in proxy.upstream.requests
        )
    assert before == hidden == old != new
    assert "send it to me" in new


@cells
def test_a54_a_call_that_hangs_is_cancelled_at_the_server(cell: Cell, tmp_path: Path):
    treat = {"docs.wait": Treatment(timeout=0.3)}
    with McpService() as service:
        parts = at(service, treat=treat)
        with proxied([Say(calls=[WAIT]), Say("Done.")], tmp_path, **parts) as proxy:
            _, answer = cell.ask(proxy, [user("hi")])
            (told,) = service.await_of("notifications/cancelled")
            (entry,) = proxy.audit("history")
        (call,) = service.of("tools/call")
    assert (told.params["requestId"], told.session) == (call.id, call.session)
    assert answer.text == "Done."
    (made,) = entry["tool_trace"]
    assert (made["status"], made["status_code"]) == ("timeout", 504)


def test_a54_a_program_hears_that_a_call_is_cancelled(tmp_path: Path):
    log = tmp_path / "server.log"
    words = ("-I", str(HERE / "bare_server.py"), f"log={log}")
    parts: dict[str, Any] = {
        "mcp": {"docs": McpServer(command=sys.executable, args=words)},
        "http": {},
        "treat": {"docs.wait": Treatment(timeout=0.3)},
    }
    script = [Say(calls=[WAIT, Call("docs_echo", {"text": "on"})]), Say("Done.")]
    with proxied(script, tmp_path, **parts) as proxy:
        CHAT.ask(proxy, [user("hi")])
        first, second = results(proxy)
    heard = [json.loads(line) for line in log.read_text().splitlines()]
    called = [
        one["method"] for one in heard if "call" in one["method"] or "cancel" in one["method"]
    ]
    assert called == ["tools/call", "notifications/cancelled", "tools/call"]
    assert (first["error"]["code"], second["ok"]) == ("timeout", True)

"""What the upstream is asked, and who may ask."""

import os
from pathlib import Path
from typing import Any

from testbed.exchange import ANTHROPIC_MESSAGES, OPENAI_CHAT, OPENAI_RESPONSES, Exchange
from testbed.proxied import KEY, proxied
from testbed.proxy_cells import Cell, M, N, cells, names
from testbed.proxy_clients import FINAL, user
from testbed.replies import Call, Delivery, Say

from agent_cli.proxy.config import Token

CHAT = Cell(OPENAI_CHAT, stream=False)
FORCED: dict[str, Any] = {
    OPENAI_CHAT: {"type": "function", "function": {"name": "docs_search"}},
    OPENAI_RESPONSES: {"type": "function", "name": "docs_search"},
    ANTHROPIC_MESSAGES: {"type": "tool", "name": "docs_search"},
}
ANY: dict[str, Any] = {
    OPENAI_CHAT: "required",
    OPENAI_RESPONSES: "required",
    ANTHROPIC_MESSAGES: {"type": "any", "disable_parallel_tool_use": True},
}
NONE: dict[str, Any] = {
    OPENAI_CHAT: "none",
    OPENAI_RESPONSES: "none",
    ANTHROPIC_MESSAGES: {"type": "none"},
}


def offered(exchange: Exchange) -> list[str]:
    tools = exchange.body.get("tools") or ()
    return [one.get("name") or one["function"]["name"] for one in tools]


@cells
def test_native_only_traffic_is_equal_byte_for_byte(cell: Cell, tmp_path: Path):
    say = Say("Let me look at this file.", [N], delivery=Delivery(piece=3))
    body = cell.request([user("hi")])
    with proxied([say, say], tmp_path) as proxy:
        mediated = proxy.ask(cell.path, body)
        plain = proxy.ask(cell.path, body, {"x-agent-proxy-mediation": "off"})
        ids = [one.number for one in proxy.upstream.requests]
    assert ids == [0, 1]
    assert _without_ids(mediated.body) == _without_ids(plain.body)


def _without_ids(body: bytes) -> list[bytes]:
    """The frames, but for what the scripted upstream makes up anew for each answer."""
    text = body.decode()
    for prefix in ("chatcmpl-", "resp_", "msg_", "call_", "fc_", "toolu_", "rs_"):
        while (at := text.find(prefix)) >= 0:
            text = text[:at] + text[text.index('"', at) :]
    return text.encode().split(b"\n\n")


@cells
def test_a10_with_no_tool_allowed_none_is_called(cell: Cell, tmp_path: Path):
    script = [Say("Words.", [M]), Say(calls=[M])]
    with proxied(script, tmp_path) as proxy:
        _, answer = cell.ask(proxy, [user("hi")], tool_choice=NONE[cell.wire])
        empty = proxy.ask(cell.path, cell.request([user("ho")], tool_choice=NONE[cell.wire]))
        assert "docs_search" in offered(proxy.upstream.requests[0])
        assert proxy.service.executed == []
    assert (answer.text, answer.calls) == ("Words.", [])
    assert answer.finish == FINAL[cell.wire]
    assert empty.status == 502
    assert b"tool_call_despite_none" in empty.body


@cells
def test_a11_a_forced_managed_call_is_forced_once(cell: Cell, tmp_path: Path):
    with proxied([Say(calls=[M]), Say("Done.")], tmp_path) as proxy:
        _, answer = cell.ask(proxy, [user("hi")], tool_choice=FORCED[cell.wire])
        first, second = (one.body["tool_choice"] for one in proxy.upstream.requests)
    assert first == FORCED[cell.wire]
    assert second in ("auto", {"type": "auto"})
    assert answer.text == "Done."


@cells
def test_a12_a_required_call_is_required_once(cell: Cell, tmp_path: Path):
    with proxied([Say(calls=[M]), Say(calls=[N])], tmp_path) as proxy:
        _, answer = cell.ask(proxy, [user("hi")], tool_choice=ANY[cell.wire])
        second = proxy.upstream.requests[1].body["tool_choice"]
    assert names(answer) == ["read_file"]
    if cell.wire == ANTHROPIC_MESSAGES:
        assert second == {"type": "auto", "disable_parallel_tool_use": True}
    else:
        assert second == "auto"


@cells
def test_a68_the_upstream_sees_its_own_credentials_only(cell: Cell, tmp_path: Path):
    headers = {"cookie": "c=1", "authorization": "Bearer client-secret", "anthropic-beta": "b-1"}
    with proxied([Say("Hello.")], tmp_path) as proxy:
        proxy.ask(cell.path, cell.request([user("hi")]), headers)
        (exchange,) = proxy.upstream.requests
        mode = (tmp_path / "continuity.db").stat().st_mode & 0o777
        audit = (tmp_path / "audit.jsonl").stat().st_mode & 0o777
    assert "client-secret" not in str(exchange.headers)
    assert "cookie" not in exchange.headers
    assert exchange.headers["anthropic-beta"] == "b-1"
    name = "x-api-key" if cell.wire == ANTHROPIC_MESSAGES else "authorization"
    assert KEY in exchange.headers[name]
    assert (mode, audit) == (0o600, 0o600)


def modes_of(folder: Path, names: str) -> dict[str, int]:
    return {one.name: one.stat().st_mode & 0o777 for one in folder.glob(names)}


def test_p33_nobody_else_can_read_what_is_kept(tmp_path: Path):
    made = tmp_path / "new"
    parts: dict[str, Any] = {
        "audit": {"path": str(made / "audit.jsonl"), "max_bytes": 500},
        "continuity": {"path": str(made / "continuity.db")},
    }
    before = os.umask(0)
    try:
        with proxied([Say(calls=[M]), Say("x")], tmp_path, **parts) as proxy:
            proxy.distinct = False  # the audit is elsewhere
            CHAT.ask(proxy, [user("hi")])
            modes = modes_of(made, "continuity.*")
        modes |= modes_of(made, "audit.*")  # the last line is written after the answer
    finally:
        os.umask(before)
    names = ("audit.jsonl", "audit.jsonl.1", "continuity.db", "continuity.db-wal")
    assert {*names} <= modes.keys()
    assert {*modes.values()} == {0o600}
    assert made.stat().st_mode & 0o777 == 0o700


def test_a68_secrets_are_kept_out_of_the_audit(tmp_path: Path):
    with proxied([Say(calls=[Call("docs_search", {"q": KEY})]), Say("x")], tmp_path) as proxy:
        CHAT.ask(proxy, [user("hi")])
        assert KEY not in str(proxy.audit())


@cells
def test_a_tool_that_a_token_does_not_name_is_not_offered(cell: Cell, tmp_path: Path):
    token = Token(sha256="9e78b43ea00edcac8299e0cc8df7f6f913078171335f733a21d5d911b6999132")
    token = Token(sha256=token.sha256, tools=("docs.*",))
    parts: dict[str, Any] = {"server": {"auth": "tokens"}, "tokens": {"alice": token}}
    with proxied([Say("Hello.")], tmp_path, **parts) as proxy:
        proxy.ask(cell.path, cell.request([user("hi")]), {"x-api-key": "moon"})
        (exchange,) = proxy.upstream.requests
    assert offered(exchange) == ["read_file", "bash", "docs_search"]

"""The way to the upstream, and what clients may ask for besides."""

import http.client
import json
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace
from testbed.exchange import ANTHROPIC_MESSAGES, OPENAI_CHAT, OPENAI_RESPONSES
from testbed.managed_service import ToolService
from testbed.proxied import Proxied, configured, proxied, serving, tools_of
from testbed.proxy_cells import Cell, M, N, W, cells, names
from testbed.proxy_clients import accumulated, read, repeated, user
from testbed.proxy_tokens import ALICE, budgeted
from testbed.replies import Call, Close, Delivery, Hang, Raw, Say, Usage

from agent_cli.proxy.audit import Audit, events
from agent_cli.proxy.config import Config, HttpTool
from agent_cli.proxy.serving import secrets_of
from agent_cli.types.errors import ConfigurationError
from agent_cli.types.redaction import Redactor

CHAT = Cell(OPENAI_CHAT, stream=False)
STREAM = Cell(OPENAI_CHAT, stream=True)


@cells
def test_an_upstream_that_is_not_there_is_a_bad_gateway(cell: Cell, tmp_path: Path):
    with ToolService() as service:
        known = Proxied(None, service, tmp_path)
        with serving(known, configured("http://127.0.0.1:1", service, tmp_path)) as proxy:
            got = proxy.ask(cell.path, cell.request([user("hi")]))
            passed = proxy.ask(cell.path, cell.request([user("hi")], tools=()))
    assert (got.status, passed.status) == (502, 502)
    assert "cannot be reached" in got.json["error"]["message"]


@cells
def test_an_upstream_that_says_nothing_is_given_up(cell: Cell, tmp_path: Path):
    with proxied([Say("Hello."), Hang()], tmp_path, upstream={"headers_timeout": 0.2}) as proxy:
        cell.ask(proxy, [user("hi")])
        got = proxy.ask(cell.path, cell.request([user("ho")]))
        assert len(proxy.upstream.requests) == 2  # on the kept connection, and no second time
    assert got.status == 504


@cells
def test_an_upstream_that_stalls_is_given_up(cell: Cell, tmp_path: Path):
    stalls = Say("Some words.", delivery=Delivery(stall_at=10))
    with proxied([stalls], tmp_path, upstream={"idle_timeout": 0.2}) as proxy:
        got = proxy.ask(cell.path, cell.request([user("hi")]))
    assert got.status == 504
    assert b"upstream_timeout" in got.body


def test_an_upstream_that_hangs_up_is_asked_no_more(tmp_path: Path):
    with proxied([Say("Hello."), Close(), Say("Again.")], tmp_path) as proxy:
        CHAT.ask(proxy, [user("hi")])
        got = proxy.ask(CHAT.path, CHAT.request([user("ho")]))
    assert got.status in (200, 502)


def test_a_passed_on_stream_that_breaks_is_seen_to_break(tmp_path: Path):
    broken = Say("Some words.", delivery=Delivery(cut_at=300))
    with proxied([broken], tmp_path) as proxy, pytest.raises(http.client.IncompleteRead):
        proxy.ask(STREAM.path, STREAM.request([user("hi")], tools=()))


def test_credentials_pass_where_the_operator_says_so(tmp_path: Path):
    upstream = {"auth": "passthrough"}
    with proxied([Say("Hello.")], tmp_path, upstream=upstream) as proxy:
        headers = {"authorization": "Bearer mine"}
        proxy.ask(CHAT.path, CHAT.request([user("hi")]), headers)
        assert proxy.upstream.requests[0].headers["authorization"] == "Bearer mine"


def test_the_proxys_own_token_never_passes(tmp_path: Path):
    token = ALICE["authorization"].partition(" ")[2]
    mine = {"authorization": "Bearer mine"}
    parts = budgeted() | {"upstream": {"auth": "passthrough", "api_key_env": ""}}
    with proxied([Say("Hello.")] * 2, tmp_path, **parts) as proxy:
        CHAT.ask(proxy, [user("hi")], mine | {"x-agent-proxy-token": token})
        CHAT.ask(proxy, [user("ho")], mine | ALICE)
        sent = [one.headers.get("authorization") for one in proxy.upstream.requests]
    assert sent == ["Bearer mine", None]


@pytest.mark.parametrize("wire", [OPENAI_CHAT, OPENAI_RESPONSES, ANTHROPIC_MESSAGES])
def test_a_whole_answer_to_a_request_for_a_stream_is_streamed(wire: str, tmp_path: Path):
    cell = Cell(wire, stream=True)
    with proxied([Say("Both.", [M, N], reasoning="Hm.")], tmp_path) as proxy:
        got = proxy.ask(cell.path, Cell(wire, stream=False).request([user("hi")]))
        whole = got.body
    with proxied([Raw(whole.decode(), "application/json")], tmp_path) as proxy:
        _, answer = cell.ask(proxy, [user("another")])
    assert answer.text == "Both."
    assert names(answer) == ["read_file"]


@cells
@pytest.mark.parametrize(
    ("when", "header", "tools"),
    [("always", "", ()), ("header", "on", ()), ("client_has_tools", "on", ())],
    ids=["always", "header", "asked for"],
)
def test_tools_are_added_when_the_operator_says(
    cell: Cell, when: str, header: str, tools: tuple[str, ...], tmp_path: Path
):
    headers = {"x-agent-proxy-mediation": header} if header else {}
    with proxied([Say("x")], tmp_path, mediation={"inject_when": when}) as proxy:
        proxy.ask(cell.path, cell.request([user("hi")], tools=tools), headers)
        assert "docs_search" in str(proxy.upstream.requests[0].body["tools"])


@cells
def test_tools_are_not_added_where_a_header_has_to_ask(cell: Cell, tmp_path: Path):
    with proxied([Say("x")], tmp_path, mediation={"inject_when": "header"}) as proxy:
        proxy.ask(cell.path, cell.request([user("hi")]))
        assert "docs_search" not in str(proxy.upstream.requests[0].body["tools"])


@cells
def test_a_call_that_ends_the_turn_must_be_the_last(cell: Cell, tmp_path: Path):
    with ToolService() as service:
        tools = tools_of(service)
        tools["crm.update"] = replace(tools["crm.update"], ends_turn=True)
        with proxied([Say(calls=[W, M])], tmp_path, http=tools) as proxy:
            got = proxy.ask(cell.path, cell.request([user("hi")]))
        assert service.executed == []
    assert got.status == 400
    assert "terminal_on_success_order" in got.json["error"]["message"]


@cells
def test_a61_coding_clients_are_told_of_the_context(cell: Cell, tmp_path: Path):
    script = [Say(calls=[M], usage=Usage(10, 3)), Say("x", usage=Usage(17, 5, cache_read=8))]
    with proxied(script, tmp_path) as proxy:
        headers = {"user-agent": "claude-cli/2.0"}
        got = proxy.ask(cell.path, cell.request([user("hi")]), headers)
    usage = read(cell.wire, got.body, stream=cell.stream).usage
    shown = usage.get("prompt_tokens", usage.get("input_tokens"))
    cached = usage.get("cache_read_input_tokens", 0)
    assert shown + cached == 17
    assert usage.get("completion_tokens", usage.get("output_tokens")) == 8


def chunks(*deltas: dict[str, Any], finish: str = "tool_calls") -> Raw:
    head = {"id": "c1", "object": "chat.completion.chunk", "created": 1, "model": "m"}
    choices = [{"index": 0, "delta": delta, "finish_reason": None} for delta in deltas]
    choices.append({"index": 0, "delta": {}, "finish_reason": finish})
    lines = [json.dumps({**head, "choices": [choice]}) for choice in choices]
    return Raw("".join(f"data: {line}\n\n" for line in [*lines, "[DONE]"]))


def piece(index: int, name: str, arguments: str) -> dict[str, Any]:
    function = {"name": name, "arguments": arguments}
    return {"index": index, "id": f"call_{index}", "type": "function", "function": function}


def test_words_in_the_same_event_as_a_call_pass(tmp_path: Path):
    mixed = {"role": "assistant", "content": "Both.", "tool_calls": [piece(0, "docs_search", "{}")]}
    more = {"tool_calls": [piece(1, "read_file", '{"a":1}')]}
    with proxied([chunks(mixed, more)], tmp_path) as proxy:
        _, answer = STREAM.ask(proxy, [user("hi")])
        assert proxy.service.tools == ["docs_search"]
    assert answer.text == "Both."
    assert names(answer) == ["read_file"]


def test_a_call_in_the_old_form_is_a_call(tmp_path: Path):
    old = {"role": "assistant", "function_call": {"name": "docs_search", "arguments": "{}"}}
    with proxied([chunks(old, finish="function_call"), Say("Done.")], tmp_path) as proxy:
        _, answer = STREAM.ask(proxy, [user("hi")])
        assert proxy.service.tools == ["docs_search"]
    assert answer.text == "Done."


@pytest.mark.parametrize(
    "data", ["data: {\n\n", "data: [1]\n\n", 'data: {"error":{"message":"no"}}\n\n']
)
def test_a_stream_that_is_none_is_an_error(data: str, tmp_path: Path):
    with proxied([Raw(data), Raw(data)], tmp_path) as proxy:
        got = proxy.ask(STREAM.path, STREAM.request([user("hi")]))
    assert got.status == 502


@cells
def test_an_edit_of_an_early_message_keeps_what_follows_the_same_question(
    cell: Cell, tmp_path: Path
):
    script = [Say("First."), Say(calls=[M]), Say("Second."), Say("x")]
    with proxied(script, tmp_path) as proxy:
        _, first = cell.ask(proxy, [user("hi")])
        history = [user("hi"), *repeated(cell.wire, first), user("and now?")]
        _, second = cell.ask(proxy, history)
        edited = [user("hello"), *history[1:], *repeated(cell.wire, second), user("so")]
        cell.ask(proxy, edited)
        assert "docs_search" in str(
            proxy.upstream.requests[3].body.get("messages")
            or proxy.upstream.requests[3].body["input"]
        )


def test_an_audit_that_is_full_begins_anew(tmp_path: Path):
    path = tmp_path / "deep" / "audit.jsonl"
    audit = Audit(path, 200, Redactor(frozenset({"sesame-open"})))
    for number in range(5):
        audit.write("request", f"r{number}", said="sesame-open " + "x" * 90)
    audit.close()
    kept = list(events(path, 10))
    assert len(kept) == 1
    assert "sesame" not in kept[0]
    assert path.with_name("audit.jsonl.1").exists()
    assert list(events(path, 10, frozenset({"other"}))) == []
    with pytest.raises(ConfigurationError, match="cannot be read"):
        list(events(tmp_path / "none", 1))
    with pytest.raises(ConfigurationError, match="cannot be written"):
        Audit(tmp_path, 1, Redactor())


def test_calls_and_words_are_what_they_were(tmp_path: Path):
    call = Call("read_file", {"path": "ä\u2028"})
    with proxied([Say("Größe\n\n", [call])], tmp_path) as proxy:
        got, answer = STREAM.ask(proxy, [user("hi")])
    assert json.loads(answer.calls[0][2]) == {"path": "ä\u2028"}
    assert accumulated(OPENAI_CHAT, got.body)["choices"][0]["message"]["content"] == "Größe\n\n"


def test_a_secret_within_a_header_is_known_as_one():
    headers = {"x-key": "key=${SOME_KEY};v=1"}
    config = Config(http={"crm": HttpTool(url="https://crm.example", headers=headers)})
    assert "very-secret" in secrets_of(config, {"SOME_KEY": "very-secret"})

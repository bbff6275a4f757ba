"""Tools that only one dialect has, calls that only one way of writing has, and other ends."""

import json
from pathlib import Path
from typing import Any

import pytest
from testbed.exchange import ANTHROPIC_MESSAGES, OPENAI_CHAT, OPENAI_RESPONSES
from testbed.managed_service import Answered, ToolService
from testbed.proxied import Proxied, configured, proxied, serving
from testbed.proxy_cells import Cell, M, cells, chat_cells, messages_cells, responses_cells
from testbed.proxy_clients import PARAMETERS, user, whole
from testbed.raw_replies import completion, message, raw_reply, response
from testbed.replies import Say

FUNCTION = {"name": "read_file", "arguments": '{"path": "a.py"}'}


@chat_cells
def test_a14_a_client_of_the_old_form_may_be_left_alone(cell: Cell, tmp_path: Path):
    reply = completion({"function_call": FUNCTION}, "function_call")
    functions = [{"name": "read_file", "parameters": PARAMETERS}]
    body = cell.request([user("hi")], tools=(), functions=functions)
    raw = raw_reply(cell.wire, reply, stream=cell.stream)
    answered = Answered(body=raw.body.encode(), headers=(("content-type", raw.content_type),))
    with ToolService(lambda tool, asked: answered) as upstream, ToolService() as service:
        known = Proxied(upstream, service, tmp_path)
        with serving(known, configured(upstream.url, service, tmp_path)) as proxy:
            got = proxy.ask(cell.path, body, {"x-agent-proxy-mediation": "off"})
        (asked,) = upstream.executed
    assert asked.arguments == body
    assert got.body == raw.body.encode()


def custom(place: int) -> dict[str, Any]:
    tool = {"name": "patch", "input": "*** Begin\n"}
    return {"id": f"call_{place}_custom", "type": "custom", "custom": tool}


def managed(place: int) -> dict[str, Any]:
    function = {"name": "docs_search", "arguments": '{"q": "x"}'}
    return {"id": f"call_{place}_managed", "type": "function", "function": function}


@chat_cells
def test_a14_a_grammar_tool_of_chat_is_the_clients(cell: Cell, tmp_path: Path):
    good = completion({"tool_calls": [managed(0), custom(1)]}, "tool_calls")
    bad = completion({"tool_calls": [custom(0), managed(1)]}, "tool_calls")
    script = [raw_reply(cell.wire, one, stream=cell.stream) for one in (good, bad)]
    with proxied(script, tmp_path) as proxy:
        got = proxy.ask(cell.path, cell.request([user("hi")]))
        refused = proxy.ask(cell.path, cell.request([user("ho")]))
        assert proxy.service.tools == ["docs_search"]
    assert b"*** Begin" in got.body
    assert b'"custom"' in got.body
    native = refused.json["error"]["agent_proxy"]["native_calls"]
    assert [one["name"] for one in native] == ["patch"]


ITEMS: dict[str, dict[str, Any]] = {
    "custom": {
        "type": "custom_tool_call",
        "id": "ctc_1",
        "call_id": "call_c",
        "name": "apply_patch",
        "input": "*** Begin\n",
    },
    "shell": {"type": "local_shell_call", "id": "lsh_1", "call_id": "call_l", "action": {}},
    "managed": {
        "type": "function_call",
        "id": "fc_1",
        "call_id": "call_managed",
        "name": "docs_search",
        "arguments": '{"q": "x"}',
        "status": "completed",
    },
    "hosted": {"type": "web_search_call", "id": "ws_1", "status": "completed"},
}


@responses_cells
@pytest.mark.parametrize("kind", ["custom", "shell"])
def test_a14_calls_of_other_kinds_are_the_clients(cell: Cell, kind: str, tmp_path: Path):
    orders = (["hosted", "managed", kind], [kind, "managed"])
    replies = [response(*(ITEMS[one] for one in order)) for order in orders]
    script = [raw_reply(cell.wire, one, stream=cell.stream) for one in replies]
    with proxied(script, tmp_path) as proxy:
        got = proxy.ask(cell.path, cell.request([user("hi")]))
        refused = proxy.ask(cell.path, cell.request([user("ho")]))
        assert proxy.service.tools == ["docs_search"]
    said = whole(cell.wire, got.body, stream=cell.stream)
    assert said["output"] == [ITEMS["hosted"], ITEMS[kind]]
    assert said["status"] == "completed"
    assert refused.status == 400
    native = refused.json["error"]["agent_proxy"]["native_calls"]
    assert [one["name"] for one in native] == [ITEMS[kind].get("name", ITEMS[kind]["type"])]


BLOCKS: list[dict[str, Any]] = [
    {"type": "server_tool_use", "id": "srvtoolu_1", "name": "web_search", "input": {"query": "x"}},
    {"type": "web_search_tool_result", "tool_use_id": "srvtoolu_1", "content": []},
    {"type": "tool_use", "id": "toolu_managed", "name": "docs_search", "input": {"q": "x"}},
    {"type": "tool_use", "id": "toolu_1", "name": "read_file", "input": {"b": 1, "a": 2}},
]


@messages_cells
def test_a14_a_search_of_the_vendors_own_is_neutral(cell: Cell, tmp_path: Path):
    reply = raw_reply(cell.wire, message(*BLOCKS), stream=cell.stream)
    with proxied([reply], tmp_path) as proxy:
        got = proxy.ask(cell.path, cell.request([user("hi")]))
        assert proxy.service.tools == ["docs_search"]
    said = whole(cell.wire, got.body, stream=cell.stream)["content"]
    assert said == [BLOCKS[0], BLOCKS[1], BLOCKS[3]]
    assert list(said[2]["input"]) == ["b", "a"]


ENDS: dict[str, tuple[dict[str, Any], str]] = {
    OPENAI_CHAT: (completion({"content": "Not th"}, "content_filter"), "content_filter"),
    OPENAI_RESPONSES: (
        response(
            {
                "type": "message",
                "id": "msg_1",
                "role": "assistant",
                "status": "incomplete",
                "content": [{"type": "refusal", "refusal": "Not th"}],
            },
            status="incomplete",
            incomplete_details={"reason": "content_filter"},
        ),
        "incomplete",
    ),
    ANTHROPIC_MESSAGES: (
        message({"type": "text", "text": "Not th"}, stop="pause_turn"),
        "pause_turn",
    ),
}


def repeated(cell: Cell, made: dict[str, Any]) -> list[dict[str, Any]]:
    """The answer as its client has it in the next request."""
    if cell.wire == OPENAI_CHAT:
        return [made["choices"][0]["message"]]
    if cell.wire == OPENAI_RESPONSES:
        return made["output"]
    return [{"role": "assistant", "content": made["content"]}]


def finish(cell: Cell, made: dict[str, Any]) -> str:
    if cell.wire == OPENAI_CHAT:
        return made["choices"][0]["finish_reason"]
    return made["status" if cell.wire == OPENAI_RESPONSES else "stop_reason"]


@cells
@pytest.mark.parametrize("hidden", [0, 1], ids=["alone", "after a hidden round"])
def test_a64_other_ends_come_as_they_are_and_are_gone_on_from(
    cell: Cell, hidden: int, tmp_path: Path
):
    body, end = ENDS[cell.wire]
    script = [*[Say(calls=[M])] * hidden, raw_reply(cell.wire, body, stream=cell.stream), Say("x")]
    with proxied(script, tmp_path) as proxy:
        got = proxy.ask(cell.path, cell.request([user("hi")]))
        made = whole(cell.wire, got.body, stream=cell.stream)
        assert "Not th" in json.dumps(made)
        assert finish(cell, made) == end
        history = [user("hi"), *repeated(cell, made), user("go on")]
        assert proxy.ask(cell.path, cell.request(history)).status == 200
        sent = proxy.upstream.requests[-1].body
    places = [json.dumps(one) for one in sent.get("messages") or sent["input"]]
    assert len(places) == 3 + 2 * hidden
    assert "Not th" in places[1 + 2 * hidden]
    assert ("docs_search" in places[1]) is bool(hidden)


@responses_cells
def test_reasoning_that_nobody_keeps_is_not_asked_for_again(cell: Cell, tmp_path: Path):
    script = [Say(calls=[M], reasoning="Hm."), Say("Done.")]
    with proxied(script, tmp_path) as proxy:
        body = cell.request([user("hi")])
        del body["include"]
        assert proxy.ask(cell.path, body).status == 200
        sent = proxy.upstream.requests[1].body["input"]
    kinds = [one.get("type", "message") for one in sent]
    assert kinds == ["message", "function_call", "function_call_output"]


@chat_cells
def test_a28_a38_a_thought_signature_keeps_the_calls_together(cell: Cell, tmp_path: Path):
    sealed = {"google": {"thought_signature": "c2VhbA=="}}
    native = {"id": "call_1_native", "type": "function", "function": FUNCTION}
    first = {**managed(0), "extra_content": sealed}
    reply = completion({"content": "Both.", "tool_calls": [first, native]}, "tool_calls")
    script = [raw_reply(cell.wire, reply, stream=cell.stream), Say("Done.")]
    with proxied(script, tmp_path) as proxy:
        got = proxy.ask(cell.path, cell.request([user("hi")]))
        made = whole(cell.wire, got.body, stream=cell.stream)
        told = {"role": "tool", "tool_call_id": "call_1_native", "content": "content"}
        history = [user("hi"), *repeated(cell, made), told]
        assert proxy.ask(cell.path, cell.request(history)).status == 200
        _, said, *results = proxy.upstream.requests[1].body["messages"]
        (stored, *_) = proxy.audit("continuity_store")
    assert stored["layout"] == "merged"
    assert [one["id"] for one in said["tool_calls"]] == ["call_0_managed", "call_1_native"]
    assert said["tool_calls"][0]["extra_content"] == sealed
    assert [one["tool_call_id"] for one in results] == ["call_0_managed", "call_1_native"]

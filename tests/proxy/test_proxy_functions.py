"""Clients of the first form of Chat Completions, with `functions` in place of tools."""

import json
from pathlib import Path
from typing import Any

import pytest
from testbed.exchange import OPENAI_CHAT
from testbed.proxied import Got, Proxied, proxied
from testbed.proxy_cells import B, Cell, M, N
from testbed.proxy_clients import PARAMETERS, frames, user
from testbed.replies import Say

FUNCTIONS = [{"name": name, "parameters": PARAMETERS} for name in ("read_file", "bash")]
modes = pytest.mark.parametrize("stream", [False, True], ids=["whole", "stream"])


def ask(proxy: Proxied, history: list[Any], *, stream: bool, **more: Any) -> Got:
    cell = Cell(OPENAI_CHAT, stream=stream)
    body = cell.request(history, tools=(), functions=FUNCTIONS, **more)
    return proxy.ask(cell.path, body)


def read(got: Got, *, stream: bool) -> tuple[dict[str, Any], str]:
    """Return the message as such a client understands it, and why it ended."""
    assert got.status == 200, got.body
    assert b"tool_calls" not in got.body
    if not stream:
        (choice,) = got.json["choices"]
        return choice["message"], choice["finish_reason"]
    message: dict[str, Any] = {"role": "assistant", "content": None}
    finish = ""
    *events, done = [frame.data for frame in frames(got.body)]
    assert done == b"[DONE]"
    for choice in [one for event in events for one in json.loads(event)["choices"]]:
        finish = choice["finish_reason"] or finish
        delta = choice["delta"]
        if delta.get("content"):
            message["content"] = (message["content"] or "") + delta["content"]
        if call := delta.get("function_call"):
            known = message.setdefault("function_call", {"name": "", "arguments": ""})
            known["name"] += call.get("name") or ""
            known["arguments"] += call.get("arguments") or ""
    return message, finish


@modes
def test_a14_a_native_call_comes_back_in_the_clients_form(tmp_path: Path, *, stream: bool):
    with proxied([Say("Words.", [N])], tmp_path) as proxy:
        got = ask(proxy, [user("hi")], stream=stream, function_call="auto")
        body = proxy.upstream.requests[0].body
    message, finish = read(got, stream=stream)
    assert finish == "function_call"
    assert message["function_call"] == {"name": "read_file", "arguments": N.arguments}
    assert message["content"] == "Words."
    offered = [one["function"]["name"] for one in body["tools"]]
    assert offered == ["read_file", "bash", "crm_update", "docs_search"]
    assert (body["tool_choice"], body["parallel_tool_calls"]) == ("auto", False)
    assert "functions" not in body


@modes
def test_hidden_rounds_come_back_with_the_functions_result(tmp_path: Path, *, stream: bool):
    script = [Say(calls=[M]), Say(calls=[M, N]), Say(calls=[N]), Say("Done.")]
    with proxied(script, tmp_path) as proxy:
        history: list[Any] = [user("hi")]
        for _ in range(2):
            message, _ = read(ask(proxy, history, stream=stream), stream=stream)
            history += [message, {"role": "function", "name": "read_file", "content": "text"}]
        message, finish = read(ask(proxy, history, stream=stream), stream=stream)
        assert proxy.service.tools == ["docs_search"]
        roles = [one["role"] for one in proxy.upstream.requests[3].body["messages"]]
    assert (message["content"], finish) == ("Done.", "stop")
    hidden = ["assistant", "tool", "assistant", "tool"]
    assert roles == ["user", *hidden, "assistant", "tool", "assistant", "tool"]


@modes
def test_of_several_calls_the_client_gets_the_first(tmp_path: Path, *, stream: bool):
    with proxied([Say(calls=[N, B]), Say("Done.")], tmp_path) as proxy:
        message, _ = read(ask(proxy, [user("hi")], stream=stream), stream=stream)
        told = {"role": "function", "name": "read_file", "content": "text"}
        ask(proxy, [user("hi"), message, told], stream=stream)
    assert message["function_call"]["name"] == "read_file"


@modes
def test_a29_the_order_counts_here_as_well(tmp_path: Path, *, stream: bool):
    with proxied([Say(calls=[N, M])], tmp_path) as proxy:
        got = ask(proxy, [user("hi")], stream=stream, function_call={"name": "read_file"})
        choice = proxy.upstream.requests[0].body["tool_choice"]
        assert proxy.service.executed == []
    assert got.status == 400
    assert got.json["error"]["code"] == "mixed_tool_order"
    assert choice == {"type": "function", "function": {"name": "read_file"}}

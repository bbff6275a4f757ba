"""Reasoning that went out with a call must come back with it."""

import http.client
import json
from contextlib import closing
from typing import Any

import pytest
from testbed.exchange import ANTHROPIC_MESSAGES, OPENAI_RESPONSES
from testbed.replies import Call, Say
from testbed.server import ModelServer

THINKING = Say(calls=[Call("read_file", {"path": "a"})], reasoning="Hm.")
SCRIPT = [THINKING, Say("That is all.")]
TOOLS = [{"name": "read_file", "input_schema": {"type": "object"}}]


def post(server: ModelServer, path: str, content: dict[str, Any]) -> Any:
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=30)
    with closing(connection):
        connection.request("POST", path, json.dumps(content))
        answer = connection.getresponse()
        return json.loads(answer.read())


def message_round(server: ModelServer, kept: tuple[str, ...]) -> Any:
    """Ask, and ask again with only those blocks of the answer whose type is kept."""
    asked: dict[str, Any] = {"model": "m", "max_tokens": 9, "tools": TOOLS}
    said: list[Any] = [{"role": "user", "content": "Hello"}]
    first = post(server, "/v1/messages", asked | {"messages": said})
    blocks = [block for block in first["content"] if block["type"] in kept]
    call = blocks[-1]["id"]
    result = {"type": "tool_result", "tool_use_id": call, "content": "x"}
    said += [{"role": "assistant", "content": blocks}, {"role": "user", "content": [result]}]
    return post(server, "/v1/messages", asked | {"messages": said})


def response_round(server: ModelServer, kept: tuple[str, ...], include: list[str]) -> Any:
    asked: dict[str, Any] = {"model": "m", "store": False, "include": include}
    said: list[Any] = [{"role": "user", "content": "Hello"}]
    first = post(server, "/responses", asked | {"input": said})
    items = [item for item in first["output"] if item["type"] in kept]
    call = items[-1]["call_id"]
    said += [*items, {"type": "function_call_output", "call_id": call, "output": "x"}]
    return post(server, "/responses", asked | {"input": said})


def test_a_call_that_comes_back_with_its_thinking_is_accepted():
    with ModelServer(SCRIPT) as server:
        answer = message_round(server, ("thinking", "tool_use"))
        assert answer["content"] == [{"type": "text", "text": "That is all."}]
        assert server.violations == []


def test_a_call_that_comes_back_without_its_thinking_is_refused():
    with ModelServer(SCRIPT) as server:
        answer = message_round(server, ("tool_use",))
        assert "without its required 'reasoning'" in answer["error"]["message"]
        assert len(server.violations) == 1


SEAL = ["reasoning.encrypted_content"]


@pytest.mark.parametrize(
    ("kept", "include", "refused"),
    [
        pytest.param(("reasoning", "function_call"), SEAL, False, id="kept"),
        pytest.param(("function_call",), SEAL, True, id="dropped"),
        pytest.param(("function_call",), [], False, id="never asked for"),
    ],
)
def test_sealed_reasoning_belongs_to_its_call(
    kept: tuple[str, ...],
    include: list[str],
    refused: bool,  # noqa: FBT001 - a column of the table
):
    with ModelServer(SCRIPT) as server:
        answer = response_round(server, kept, include)
        assert bool(server.violations) is refused
        assert ("error" in answer and answer["error"] is not None) is refused


def test_a_changed_signature_is_refused():
    with ModelServer(SCRIPT) as server:
        asked: dict[str, Any] = {"model": "m", "max_tokens": 9, "tools": TOOLS}
        said: list[Any] = [{"role": "user", "content": "Hello"}]
        content = post(server, "/v1/messages", asked | {"messages": said})["content"]
        content[0]["signature"] = "Zm9yZ2Vk"
        result = {"type": "tool_result", "tool_use_id": content[1]["id"], "content": "x"}
        said += [{"role": "assistant", "content": content}, {"role": "user", "content": [result]}]
        post(server, "/v1/messages", asked | {"messages": said})
        assert len(server.violations) == 1


def test_what_one_wire_issued_binds_no_other():
    with ModelServer([THINKING, Say("x")]) as server:
        message = {"model": "m", "max_tokens": 9, "messages": [{"role": "user", "content": "x"}]}
        call = post(server, "/v1/messages", message)["content"][1]["id"]
        items = [
            {"role": "user", "content": "x"},
            {"type": "function_call", "call_id": call, "name": "a", "arguments": "{}"},
            {"type": "function_call_output", "call_id": call, "output": "x"},
        ]
        post(server, "/responses", {"model": "m", "input": items})
        assert server.violations == []
    assert {ANTHROPIC_MESSAGES, OPENAI_RESPONSES} == {one.wire for one in server.requests}

"""Clients of the three dialects, strict about what they are told."""

import json
from typing import Any, NamedTuple

from testbed.exchange import ANTHROPIC_MESSAGES, OPENAI_CHAT, OPENAI_RESPONSES

from agent_cli.wire.frames import Frame
from agent_cli.wire.sse import SseReader

PATHS = {
    OPENAI_CHAT: "/v1/chat/completions",
    OPENAI_RESPONSES: "/v1/responses",
    ANTHROPIC_MESSAGES: "/v1/messages",
}
PARAMETERS: dict[str, Any] = {"type": "object", "properties": {"path": {"type": "string"}}}
NATIVE = ("read_file", "bash")
Json = dict[str, Any]


class Answer(NamedTuple):
    """What a client understood, in one shape for all dialects."""

    text: str
    calls: list[tuple[str, str, str]]
    """Ids, names and arguments, as text."""
    finish: str
    usage: Json
    blocks: list[Json]
    """What the client repeats in the next request."""


def tool(wire: str, name: str) -> Json:
    match wire:
        case "openai_chat":
            function = {"name": name, "description": "d", "parameters": PARAMETERS}
            return {"type": "function", "function": function}
        case "openai_responses":
            return {"type": "function", "name": name, "parameters": PARAMETERS, "strict": False}
        case _:
            return {"name": name, "description": "d", "input_schema": PARAMETERS}


def user(text: str) -> Json:
    return {"role": "user", "content": text}


def request(
    wire: str, history: list[Json], *, stream: bool, tools: tuple[str, ...] = NATIVE, **more: Any
) -> Json:
    body: Json = {"model": "m", "stream": stream, **more}
    if tools:
        body["tools"] = [tool(wire, name) for name in tools]
    if wire == OPENAI_RESPONSES:
        return {
            **body,
            "input": history,
            "store": False,
            "include": ["reasoning.encrypted_content"],
        }
    if wire == ANTHROPIC_MESSAGES:
        body["max_tokens"] = 1_000
    return {**body, "messages": history}


def repeated(wire: str, answer: Answer) -> list[Json]:
    """The answer as the client puts it into its history."""
    if wire == OPENAI_RESPONSES:
        return answer.blocks
    if wire == ANTHROPIC_MESSAGES:
        return [{"role": "assistant", "content": answer.blocks}]
    return [answer.blocks[0]]


def results(wire: str, answer: Answer, text: str = "content") -> list[Json]:
    """A result for each call of the answer."""
    ids = [id_ for id_, _, _ in answer.calls]
    if wire == OPENAI_RESPONSES:
        return [{"type": "function_call_output", "call_id": id_, "output": text} for id_ in ids]
    if wire == OPENAI_CHAT:
        return [{"role": "tool", "tool_call_id": id_, "content": text} for id_ in ids]
    blocks = [{"type": "tool_result", "tool_use_id": id_, "content": text} for id_ in ids]
    return [{"role": "user", "content": blocks}]


def whole(wire: str, body: bytes, *, stream: bool) -> Json:
    return accumulated(wire, body) if stream else json.loads(body)


def read(wire: str, body: bytes, *, stream: bool) -> Answer:
    return READERS[wire](whole(wire, body, stream=stream))


def frames(body: bytes) -> list[Frame]:
    reader = SseReader()
    found = reader.feed(body)
    assert not reader.pending
    return found


def accumulated(wire: str, body: bytes) -> Json:
    """The answer that the stream makes, as it would be whole; asserts the stream's own rules."""
    return ACCUMULATORS[wire](frames(body))


def _chat(events: list[Frame]) -> Json:
    assert events[-1].data == b"[DONE]"
    chunks = [json.loads(event.data) for event in events[:-1]]
    assert len({(one["id"], one["created"], one["model"]) for one in chunks}) == 1
    message: Json = {"role": "assistant", "content": None}
    calls: dict[int, Json] = {}
    finish, usage, roles = None, {}, 0
    for chunk in chunks:
        usage = chunk.get("usage") or usage
        for choice in chunk["choices"]:
            assert finish is None or not choice["delta"], "nothing follows the finish reason"
            delta = choice["delta"]
            roles += "role" in delta
            for name in ("content", "reasoning_content"):
                if delta.get(name):
                    message[name] = (message.get(name) or "") + delta[name]
            for piece in delta.get("tool_calls") or ():
                place = piece["index"]
                if place not in calls:
                    assert place == len(calls), "indexes are contiguous"
                    assert piece["id"]
                    assert piece["function"]["name"]
                    calls[place] = {"id": piece["id"], "type": "function", "function": {}}
                    calls[place]["function"] = {"name": piece["function"]["name"], "arguments": ""}
                calls[place]["function"]["arguments"] += piece["function"].get("arguments") or ""
            finish = choice.get("finish_reason") or finish
    assert roles == 1
    assert finish is not None
    if calls:
        message["tool_calls"] = list(calls.values())
    choice = {"index": 0, "message": message, "finish_reason": finish}
    head = {name: value for name, value in chunks[0].items() if name not in ("choices", "usage")}
    return {**head, "choices": [choice], "usage": usage}


def _responses(events: list[Frame]) -> Json:
    read_events = [json.loads(event.data) for event in events]
    assert [one["sequence_number"] for one in read_events] == list(range(len(read_events)))
    kinds = [one["type"] for one in read_events]
    assert kinds[0] == "response.created"
    assert kinds.count("response.created") == 1
    items: list[Json] = []
    open_items: dict[int, Json] = {}
    for event in read_events:
        if event["type"] == "response.output_item.added":
            assert event["output_index"] == len(items) + len(open_items)
            open_items[event["output_index"]] = event["item"]
        elif event["type"] == "response.output_item.done":
            del open_items[event["output_index"]]
            items.append(event["item"])
        elif "output_index" in event:
            assert event["output_index"] in open_items
    last = read_events[-1]
    assert last["type"] in ("response.completed", "response.incomplete")
    assert last["response"]["output"] == items
    assert last["response"]["id"] == read_events[0]["response"]["id"]
    return last["response"]


def _messages(events: list[Frame]) -> Json:
    read_events = [json.loads(event.data) for event in events if event.event != "ping"]
    assert [event.event for event in events] == [json.loads(event.data)["type"] for event in events]
    start, *rest = read_events
    assert start["type"] == "message_start"
    assert rest[-1]["type"] == "message_stop"
    message = start["message"]
    blocks: list[Json] = []
    partial: dict[int, str] = {}
    for event in rest[:-1]:
        match event["type"]:
            case "content_block_start":
                assert event["index"] == len(blocks)
                blocks.append(dict(event["content_block"]))
            case "content_block_delta":
                _grow(blocks, event["index"], event["delta"], partial)
            case "content_block_stop":
                assert event["index"] < len(blocks)
            case "message_delta":
                message = {**message, **event["delta"]}
                message["usage"] = {**message["usage"], **event["usage"]}
            case other:
                raise AssertionError(other)
    for place, text in partial.items():
        blocks[place]["input"] = json.loads(text) if text else {}
    return {**message, "content": blocks}


def _grow(blocks: list[Json], place: int, delta: Json, partial: dict[int, str]) -> None:
    match delta["type"]:
        case "text_delta":
            blocks[place]["text"] += delta["text"]
        case "thinking_delta":
            blocks[place]["thinking"] += delta["thinking"]
        case "signature_delta":
            blocks[place]["signature"] = delta["signature"]
        case "input_json_delta":
            assert blocks[place]["input"] == {}
            partial[place] = partial.get(place, "") + delta["partial_json"]
        case other:
            raise AssertionError(other)


def _read_chat(body: Json) -> Answer:
    (choice,) = body["choices"]
    message = choice["message"]
    calls = [
        (one["id"], one["function"]["name"], one["function"]["arguments"])
        for one in message.get("tool_calls") or ()
    ]
    kept = {
        name: value for name, value in message.items() if value is not None or name == "content"
    }
    return Answer(message["content"] or "", calls, choice["finish_reason"], body["usage"], [kept])


def _read_responses(body: Json) -> Answer:
    texts = [
        part["text"]
        for item in body["output"]
        if item["type"] == "message"
        for part in item["content"]
    ]
    calls = [
        (item["call_id"], item["name"], item["arguments"])
        for item in body["output"]
        if item["type"] == "function_call"
    ]
    return Answer("\n\n".join(texts), calls, body["status"], body["usage"], body["output"])


def _read_messages(body: Json) -> Answer:
    texts = [block["text"] for block in body["content"] if block["type"] == "text"]
    calls = [
        (block["id"], block["name"], json.dumps(block["input"]))
        for block in body["content"]
        if block["type"] == "tool_use"
    ]
    joined = "\n\n".join(texts)
    return Answer(joined, calls, body["stop_reason"], body["usage"], body["content"])


READERS = {
    OPENAI_CHAT: _read_chat,
    OPENAI_RESPONSES: _read_responses,
    ANTHROPIC_MESSAGES: _read_messages,
}
ACCUMULATORS = {
    OPENAI_CHAT: _chat,
    OPENAI_RESPONSES: _responses,
    ANTHROPIC_MESSAGES: _messages,
}
FINAL = {OPENAI_CHAT: "stop", OPENAI_RESPONSES: "completed", ANTHROPIC_MESSAGES: "end_turn"}
CALLING = {OPENAI_CHAT: "tool_calls", OPENAI_RESPONSES: "completed", ANTHROPIC_MESSAGES: "tool_use"}
BEAT = {
    OPENAI_CHAT: b": keepalive",
    OPENAI_RESPONSES: b'"type":"response.in_progress"',
    ANTHROPIC_MESSAGES: b'"type": "ping"',
}
"""What keeps a client waiting."""

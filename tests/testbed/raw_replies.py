"""Replies that no script can say: any whole body, also as the stream that a vendor makes of it."""

import json
from collections.abc import Iterator
from typing import Any

from testbed.exchange import ANTHROPIC_MESSAGES, OPENAI_RESPONSES
from testbed.replies import Delivery, Raw

Json = dict[str, Any]


def raw_reply(wire: str, body: Json, *, stream: bool, delivery: Delivery = Delivery()) -> Raw:
    """The body, whole or streamed."""
    if not stream:
        return Raw(json.dumps(body), "application/json", delivery=delivery)
    events = {OPENAI_RESPONSES: _responses, ANTHROPIC_MESSAGES: _messages}.get(wire, _chat)
    lines = [
        f"event: {event['type']}\ndata: {json.dumps(event)}\n\n"
        if "type" in event
        else f"data: {json.dumps(event)}\n\n"
        for event in events(body)
    ]
    end = "" if wire in (OPENAI_RESPONSES, ANTHROPIC_MESSAGES) else "data: [DONE]\n\n"
    return Raw("".join(lines) + end, delivery=delivery)


def message(*blocks: Json, stop: str = "tool_use") -> Json:
    """A whole message of the Messages dialect."""
    return {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": "m",
        "content": [*blocks],
        "stop_reason": stop,
        "stop_sequence": None,
        "usage": {"input_tokens": 1, "output_tokens": 1},
    }


def response(*items: Json, **more: Any) -> Json:
    """A whole response of the Responses dialect."""
    usage = {"input_tokens": 1, "output_tokens": 1, "total_tokens": 2}
    head = {"id": "resp_1", "object": "response", "created_at": 1, "status": "completed"}
    return {**head, "model": "m", "output": [*items], "usage": usage, **more}


def completion(said: Json, finish: str) -> Json:
    """A whole reply of the Chat Completions dialect."""
    usage = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
    made = {"role": "assistant", "content": None, **said}
    choice = {"index": 0, "message": made, "finish_reason": finish}
    head = {"id": "chatcmpl-1", "object": "chat.completion", "created": 1, "model": "m"}
    return {**head, "choices": [choice], "usage": usage}


def _chat(body: Json) -> Iterator[Json]:
    (choice,) = body["choices"]
    head = {
        **{name: value for name, value in body.items() if name not in ("choices", "usage")},
        "object": "chat.completion.chunk",
    }
    said = dict(choice["message"])
    calls = said.pop("tool_calls", [])
    deltas = [{"role": said.pop("role")}, *({name: said[name]} for name in said)]
    deltas += [{"tool_calls": [{"index": at, **call}]} for at, call in enumerate(calls)]
    for delta in deltas:
        yield {**head, "choices": [{"index": 0, "delta": delta, "finish_reason": None}]}
    end = {"index": 0, "delta": {}, "finish_reason": choice["finish_reason"]}
    yield {**head, "choices": [end]}
    yield {**head, "choices": [], "usage": body["usage"]}


def _responses(body: Json) -> Iterator[Json]:
    begun = {**body, "status": "in_progress", "output": [], "usage": None}
    events: list[Json] = [
        {"type": f"response.{name}", "response": begun} for name in ("created", "in_progress")
    ]
    for place, item in enumerate(body["output"]):
        at = {"output_index": place}
        events.append({"type": "response.output_item.added", **at, "item": item})
        events.append({"type": "response.output_item.done", **at, "item": item})
    events.append({"type": f"response.{body['status']}", "response": body})
    for number, event in enumerate(events):
        yield {**event, "sequence_number": number}


def _messages(body: Json) -> Iterator[Json]:
    begun = {**body, "content": [], "stop_reason": None}
    yield {"type": "message_start", "message": begun}
    for place, block in enumerate(body["content"]):
        at = {"index": place}
        started = {**block, "input": {}} if "input" in block else block
        yield {"type": "content_block_start", **at, "content_block": started}
        if "input" in block:
            delta = {"type": "input_json_delta", "partial_json": json.dumps(block["input"])}
            yield {"type": "content_block_delta", **at, "delta": delta}
        yield {"type": "content_block_stop", **at}
    ended = {"stop_reason": body["stop_reason"], "stop_sequence": None}
    yield {"type": "message_delta", "delta": ended, "usage": body["usage"]}
    yield {"type": "message_stop"}

"""A scripted answer as Anthropic's Messages API writes it."""

import json
from collections.abc import Iterator
from typing import Any

from testbed import identity
from testbed.exchange import Exchange
from testbed.replies import Call, Say, Status, Usage
from testbed.wires.event import HOLE, Event, encode, filler, pieces, without_none

STOPS = {"end": "end_turn", "calls": "tool_use", "length": "max_tokens"}
KINDS = {
    400: "invalid_request_error",
    401: "authentication_error",
    403: "permission_error",
    404: "not_found_error",
    413: "request_too_large",
    429: "rate_limit_error",
    529: "overloaded_error",
}


def stream(say: Say, exchange: Exchange) -> Iterator[Event]:
    start: dict[str, Any] = _message(say, exchange) | {"content": [], "stop_reason": None}
    if say.usage:
        start["usage"] = _usage(say.usage) | {"output_tokens": 1}
    yield _event({"type": "message_start", "message": start})
    yield from _blocks(say, exchange)
    end: dict[str, Any] = {
        "type": "message_delta",
        "delta": {"stop_reason": STOPS.get(say.stops, say.stops), "stop_sequence": None},
    }
    if say.usage:
        end["usage"] = _usage(say.usage)
    yield _event(end)
    yield _event({"type": "message_stop"}, terminal=True)


def _blocks(say: Say, exchange: Exchange) -> Iterator[Event]:
    size = say.delivery.piece
    for index, (kind, start, key, text) in enumerate(_contents(say, exchange)):
        yield _event({"type": "content_block_start", "index": index, "content_block": start})
        delta = {"type": kind, key: HOLE}
        fill = filler({"type": "content_block_delta", "index": index, "delta": delta})
        if kind == "input_json_delta":
            yield Event("content_block_delta", fill(""))
        for piece in pieces(text, size):
            yield Event("content_block_delta", fill(piece))
        if kind == "thinking_delta":
            sealed = {"type": "signature_delta", "signature": identity.seal(exchange)}
            yield _event({"type": "content_block_delta", "index": index, "delta": sealed})
        yield _event({"type": "content_block_stop", "index": index})


def _contents(say: Say, exchange: Exchange) -> Iterator[tuple[str, dict[str, Any], str, str]]:
    """Each block: the type of its deltas, how it starts, where its text goes, and its text."""
    if say.reasoning is not None:
        empty = {"type": "thinking", "thinking": "", "signature": ""}
        yield "thinking_delta", empty, "thinking", say.reasoning
    if say.text:
        yield "text_delta", {"type": "text", "text": ""}, "text", say.text
    for place, call in enumerate(say.calls):
        start = _call(call, exchange, place, {})
        yield "input_json_delta", start, "partial_json", call.arguments


def _call(call: Call, exchange: Exchange, place: int, value: object) -> dict[str, Any]:
    identifier = identity.call_id(exchange, call, place)
    return without_none({"type": "tool_use", "id": identifier, "name": call.name, "input": value})


def _usage(usage: Usage) -> dict[str, int]:
    return {
        "input_tokens": usage.input - usage.cache_read - usage.cache_write,
        "cache_creation_input_tokens": usage.cache_write,
        "cache_read_input_tokens": usage.cache_read,
        "output_tokens": usage.output,
    }


def _message(say: Say, exchange: Exchange) -> dict[str, Any]:
    message: dict[str, Any] = {
        "id": identity.message_id(exchange, "msg_01"),
        "type": "message",
        "role": "assistant",
        "model": exchange.body.get("model"),
        "content": [],
        "stop_reason": STOPS.get(say.stops, say.stops),
        "stop_sequence": None,
    }
    if say.usage:
        message["usage"] = _usage(say.usage)
    return message


def whole(say: Say, exchange: Exchange) -> dict[str, Any]:
    content: list[dict[str, Any]] = []
    if say.reasoning is not None:
        signature = identity.seal(exchange)
        content.append({"type": "thinking", "thinking": say.reasoning, "signature": signature})
    if say.text:
        content.append({"type": "text", "text": say.text})
    for place, call in enumerate(say.calls):
        content.append(_call(call, exchange, place, _parsed(call.arguments)))
    return _message(say, exchange) | {"content": content}


def _parsed(arguments: str) -> object:
    """The input of a call outside of a stream, where broken arguments cannot be written."""
    try:
        return json.loads(arguments)
    except ValueError:
        return {}


def failure(status: Status) -> dict[str, Any]:
    kind = status.kind or KINDS.get(status.code, "api_error")
    message = status.message or kind.replace("_", " ").capitalize()
    error = {"type": kind, "message": message}
    return {"type": "error", "error": error, "request_id": "req_011testbed"}


def failure_event() -> Event:
    return _event(failure(Status(529, "Overloaded")))


def unknown_event() -> Event:
    return _event({"type": "content_block_foresight", "index": 0, "foresight": {"deep": [1]}})


def ping() -> bytes:
    return b'event: ping\ndata: {"type": "ping"}\n\n'


def _event(value: dict[str, Any], *, terminal: bool = False) -> Event:
    return Event(value["type"], encode(value), terminal)

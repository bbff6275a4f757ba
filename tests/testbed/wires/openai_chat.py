"""A scripted answer as OpenAI's Chat Completions API writes it."""

from collections.abc import Iterator
from typing import Any

from testbed import identity
from testbed.exchange import Exchange
from testbed.replies import Call, Say, Status, Usage
from testbed.wires import openai_errors
from testbed.wires.event import HOLE, Event, encode, filler, pieces, without_none

STOPS = {"end": "stop", "calls": "tool_calls", "length": "length", "refusal": "content_filter"}
CREATED = 1_780_000_000
DONE = Event("", b"[DONE]", terminal=True)


def stream(say: Say, exchange: Exchange) -> Iterator[Event]:
    size = say.delivery.piece
    yield _chunk(exchange, {"role": "assistant", "content": "", "refusal": None})
    if say.reasoning is not None:
        yield from _deltas(exchange, {"reasoning_content": HOLE}, say.reasoning, size)
    yield from _deltas(exchange, {"content": HOLE}, say.text, size)
    for place, call in enumerate(say.calls):
        begin = {"index": place} | _call(call, exchange, place, "")
        yield _chunk(exchange, {"tool_calls": [begin]})
        hole = {"tool_calls": [{"index": place, "function": {"arguments": HOLE}}]}
        yield from _deltas(exchange, hole, call.arguments, size)
    stop = STOPS.get(say.stops, say.stops)
    yield _chunk(exchange, {}, stop)._replace(terminal=True)
    options: dict[str, Any] = exchange.body.get("stream_options") or {}
    if say.usage and options.get("include_usage"):
        value: dict[str, Any] = _envelope(exchange) | {"choices": [], "usage": _usage(say.usage)}
        yield Event("", encode(value), terminal=True)
    yield DONE


def _deltas(exchange: Exchange, delta: dict[str, Any], text: str, size: int) -> Iterator[Event]:
    fill = filler(_choice(exchange, delta, None))
    for piece in pieces(text, size):
        yield Event("", fill(piece))


def _chunk(exchange: Exchange, delta: dict[str, Any], stop: str | None = None) -> Event:
    return Event("", encode(_choice(exchange, delta, stop)))


def _choice(exchange: Exchange, delta: dict[str, Any], stop: str | None) -> dict[str, Any]:
    choice = {"index": 0, "delta": delta, "logprobs": None, "finish_reason": stop}
    return _envelope(exchange) | {"choices": [choice]}


def _envelope(exchange: Exchange) -> dict[str, Any]:
    return {
        "id": identity.message_id(exchange, "chatcmpl-"),
        "object": "chat.completion.chunk",
        "created": CREATED,
        "model": exchange.body.get("model"),
        "service_tier": "default",
        "system_fingerprint": "fp_testbed",
    }


def _call(call: Call, exchange: Exchange, place: int, arguments: str) -> dict[str, Any]:
    return without_none(
        {
            "id": identity.call_id(exchange, call, place),
            "type": "function",
            "function": {"name": call.name, "arguments": arguments},
        }
    )


def _usage(usage: Usage) -> dict[str, Any]:
    return {
        "prompt_tokens": usage.input,
        "completion_tokens": usage.output,
        "total_tokens": usage.input + usage.output,
        "prompt_tokens_details": {"cached_tokens": usage.cache_read, "audio_tokens": 0},
        "completion_tokens_details": {"reasoning_tokens": usage.reasoning, "audio_tokens": 0},
    }


def whole(say: Say, exchange: Exchange) -> dict[str, Any]:
    message: dict[str, Any] = {"role": "assistant", "content": say.text or None, "refusal": None}
    if say.reasoning is not None:
        message["reasoning_content"] = say.reasoning
    if say.calls:
        message["tool_calls"] = [
            _call(call, exchange, place, call.arguments) for place, call in enumerate(say.calls)
        ]
    stop = STOPS.get(say.stops, say.stops)
    choice = {"index": 0, "message": message, "logprobs": None, "finish_reason": stop}
    answer = _envelope(exchange) | {"object": "chat.completion", "choices": [choice]}
    return answer | {"usage": _usage(say.usage)} if say.usage else answer


def failure(status: Status) -> dict[str, Any]:
    return openai_errors.failure(status)


def failure_event() -> Event:
    overloaded = Status(503, "The server is currently overloaded", kind="server_overloaded")
    return Event("", encode(openai_errors.failure(overloaded)))


def unknown_event() -> Event:
    value = {"id": "chatcmpl-x", "object": "chat.completion.foresight", "choices": [], "deep": [1]}
    return Event("", encode(value))


def ping() -> bytes:
    return b": keep-alive\n\n"

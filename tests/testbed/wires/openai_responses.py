"""A scripted answer as OpenAI's Responses API writes it."""

from collections.abc import Callable, Iterator
from itertools import count
from typing import Any

from testbed import identity
from testbed.exchange import Exchange
from testbed.replies import Call, Say, Status, Usage
from testbed.wires import openai_errors
from testbed.wires.event import Event, encode, pieces, without_none

CREATED = 1_780_000_000
Item = dict[str, Any]


def stream(say: Say, exchange: Exchange) -> Iterator[Event]:
    numbers = count()

    def event(kind: str, **fields: Any) -> Event:
        return Event(kind, encode({"type": kind, "sequence_number": next(numbers)} | fields))

    begun: Item = _response(say, exchange) | {
        "status": "in_progress",
        "output": [],
        "usage": None,
        "incomplete_details": None,
    }
    yield event("response.created", response=begun)
    yield event("response.in_progress", response=begun)
    for place, item in enumerate(_output(say, exchange)):
        yield event("response.output_item.added", output_index=place, item=_begun(item))
        yield from _parts(item, place, say.delivery.piece, numbers, event)
        yield event("response.output_item.done", output_index=place, item=item)
    response = _response(say, exchange)
    yield event(f"response.{response['status']}", response=response)._replace(terminal=True)


def _begun(item: Item) -> Item:
    """The item as it is announced: nothing in it yet."""
    begun = item | {"status": "in_progress"}
    match item["type"]:
        case "message":
            return begun | {"content": []}
        case "function_call":
            return begun | {"arguments": ""}
        case _:
            return item | {"summary": []}


def _parts(
    item: Item, place: int, size: int, numbers: Iterator[int], event: Callable[..., Event]
) -> Iterator[Event]:
    where: dict[str, Any] = {"item_id": item["id"], "output_index": place}
    match item["type"]:
        case "function_call":
            kind, text = "response.function_call_arguments", item["arguments"]
            yield from _deltas(f"{kind}.delta", where, text, size, numbers)
            yield event(f"{kind}.done", **where, arguments=text, name=item["name"])
        case "reasoning":
            kind, text = "response.reasoning_summary", item["summary"][0]["text"]
            where["summary_index"] = 0
            empty = {"type": "summary_text", "text": ""}
            yield event(f"{kind}_part.added", **where, part=empty)
            yield from _deltas(f"{kind}_text.delta", where, text, size, numbers)
            yield event(f"{kind}_text.done", **where, text=text)
            yield event(f"{kind}_part.done", **where, part=item["summary"][0])
        case _:
            where["content_index"] = 0
            part = item["content"][0]
            yield event("response.content_part.added", **where, part=part | {"text": ""})
            kind = "response.output_text"
            yield from _deltas(f"{kind}.delta", where, part["text"], size, numbers)
            yield event(f"{kind}.done", **where, text=part["text"], logprobs=[])
            yield event("response.content_part.done", **where, part=part)


def _deltas(
    kind: str, where: Item, text: str, size: int, numbers: Iterator[int]
) -> Iterator[Event]:
    more: Item = {"logprobs": []} if kind == "response.output_text.delta" else {}
    head = encode({"type": kind} | where | more)[:-1] + b',"delta":'
    for piece in pieces(text, size):
        data = b'%s%s,"sequence_number":%d}' % (head, encode(piece), next(numbers))
        yield Event(kind, data)


def _output(say: Say, exchange: Exchange) -> list[Item]:
    output: list[Item] = []
    if say.reasoning is not None:
        output.append(_reasoning(say.reasoning, exchange))
    if say.text:
        part: Item = {"type": "output_text", "text": say.text, "annotations": [], "logprobs": []}
        output.append(
            {
                "id": identity.item_id(exchange, "msg_", 0),
                "type": "message",
                "status": "completed",
                "role": "assistant",
                "content": [part],
            }
        )
    cut = say.stops == "length"
    for place, call in enumerate(say.calls):
        last = cut and place == len(say.calls) - 1
        output.append(_call(call, exchange, place, "incomplete" if last else "completed"))
    return output


def _reasoning(text: str, exchange: Exchange) -> Item:
    item: Item = {
        "id": identity.item_id(exchange, "rs_", 0),
        "type": "reasoning",
        "summary": [{"type": "summary_text", "text": text}],
    }
    if "reasoning.encrypted_content" in (exchange.body.get("include") or []):
        item["encrypted_content"] = identity.seal(exchange)
    return item


def _call(call: Call, exchange: Exchange, place: int, status: str) -> Item:
    return without_none(
        {
            "id": identity.item_id(exchange, "fc_", place + 1),
            "type": "function_call",
            "status": status,
            "call_id": identity.call_id(exchange, call, place),
            "name": call.name,
            "arguments": call.arguments,
        }
    )


def _usage(usage: Usage) -> dict[str, Any]:
    return {
        "input_tokens": usage.input,
        "input_tokens_details": {"cached_tokens": usage.cache_read},
        "output_tokens": usage.output,
        "output_tokens_details": {"reasoning_tokens": usage.reasoning},
        "total_tokens": usage.input + usage.output,
    }


def _response(say: Say, exchange: Exchange) -> dict[str, Any]:
    reasons = {"length": "max_output_tokens", "refusal": "content_filter"}
    reason = reasons.get(say.stops)
    body = exchange.body
    return {
        "id": identity.message_id(exchange, "resp_"),
        "object": "response",
        "created_at": CREATED,
        "status": "incomplete" if reason else "completed",
        "error": None,
        "incomplete_details": {"reason": reason} if reason else None,
        "instructions": body.get("instructions"),
        "metadata": {},
        "model": body.get("model"),
        "output": _output(say, exchange),
        "parallel_tool_calls": body.get("parallel_tool_calls", True),
        "store": body.get("store", True),
        "temperature": 1.0,
        "tool_choice": body.get("tool_choice", "auto"),
        "tools": body.get("tools", []),
        "top_p": 1.0,
        "usage": _usage(say.usage) if say.usage else None,
    }


def whole(say: Say, exchange: Exchange) -> dict[str, Any]:
    return _response(say, exchange)


def failure(status: Status) -> dict[str, Any]:
    return openai_errors.failure(status)


def failure_event() -> Event:
    value = {
        "type": "error",
        "sequence_number": 9_999,
        "code": "server_is_overloaded",
        "message": "Our servers are currently overloaded. Please try again later.",
        "param": None,
    }
    return Event("error", encode(value))


def unknown_event() -> Event:
    value = {"type": "response.foresight.delta", "sequence_number": 9_998, "deep": [1]}
    return Event("response.foresight.delta", encode(value))


def ping() -> bytes:
    return b": keep-alive\n\n"

"""The history of a conversation in the Responses dialect: one flat list of items."""

from collections.abc import Sequence
from typing import Any

from msgspec import Raw

from agent_cli.proxy.dialects.base import encoded, is_object, table
from agent_cli.proxy.dialects.canonical import arguments_value, digest, tidy
from agent_cli.proxy.dialects.responses.reply import CALLS, FUNCTION, call_of, text_of
from agent_cli.proxy.dialects.shapes import words
from agent_cli.proxy.dialects.turns import Call, Part, Role, Stretch, Turn
from agent_cli.proxy.envelopes import Envelope

_OURS = CALLS | {"reasoning"}
_ENVELOPE = 200
"""Bytes of an output beside what it says, at most."""
_VOLATILE = frozenset({"id", "status", "encrypted_content", "cache_control"})


def said(turn: Turn, keep: Sequence[int], *, only_calls: bool = False) -> list[Raw]:
    place = -1
    items: list[Raw] = []
    for part in turn.parts:
        if part.role is Role.CALL:
            place += 1
            if place in keep:
                items.append(_sound(part))
        elif not only_calls:
            items.append(part.raw)
    return items


def _sound(part: Part) -> Raw:
    """Return the call with arguments that no upstream refuses a whole request for."""
    if part.call is None or not part.call.name or is_object(part.call.arguments):
        return part.raw
    return encoded({**table(part.raw), "arguments": "{}"})


def answered(results: Sequence[tuple[Call, Envelope]], instruction: str = "") -> list[Raw]:
    items = [_result(call, envelope) for call, envelope in results]
    if instruction:
        items.append(encoded({"role": "user", "content": instruction}))
    return items


def _result(call: Call, envelope: Envelope) -> Raw:
    output: Any = envelope.text
    if envelope.images:
        output = [{"type": "input_text", "text": envelope.text}]
        for media_type, data in envelope.images:
            output.append({"type": "input_image", "image_url": f"data:{media_type};base64,{data}"})
    return encoded({"type": "function_call_output", "call_id": call.id, "output": output})


def joined(history: Sequence[Raw], more: Sequence[Raw]) -> list[Raw]:
    return [*history, *more]


def stretches(history: Sequence[Raw]) -> list[Stretch]:
    """Return each run of items that the model made, without anything between them."""
    found: list[Stretch] = []
    items = [table(raw) for raw in history]
    start = 0
    while start < len(items):
        end = start
        while end < len(items) and _is_the_models(items[end]):
            end += 1
        if end == start:
            start += 1
            continue
        run = items[start:end]
        text = "".join(text_of(item) for item in run if _kind(item) == "message")
        calls = tuple(
            call_of(item, words(item.get("call_id")))
            if _kind(item) == FUNCTION
            else Call(words(item.get("call_id")), "", "", words(item.get("name")) or _kind(item))
            for item in run
            if _kind(item) in CALLS
        )
        found.append(Stretch(start, end, text, calls))
        start = end
    return found


def _kind(item: dict[str, Any]) -> str:
    return words(item.get("type")) or "message"


def _is_the_models(item: dict[str, Any]) -> bool:
    return _kind(item) in _OURS or (_kind(item) == "message" and item.get("role") == "assistant")


def merged_results(
    after: Sequence[Raw], results: Sequence[tuple[Call, Envelope]], order: Sequence[str]
) -> list[Raw]:
    theirs = 0
    while theirs < len(after) and words(table(after[theirs]).get("type")).endswith("_output"):
        theirs += 1
    places = {id_: place for place, id_ in enumerate(order)}
    outputs = [*answered(results), *after[:theirs]]
    outputs.sort(key=lambda raw: places.get(words(table(raw).get("call_id")), len(places)))
    return [*outputs, *after[theirs:]]


def canonical(message: Raw) -> object:
    item = table(message)
    kind = _kind(item)
    if kind == "reasoning" or item.get("role") in ("system", "developer"):
        return None
    if kind == "message":
        return [item.get("role"), tidy(text_of(item))]
    if kind == FUNCTION:
        return [kind, item.get("call_id"), item.get("name"), arguments_value(item.get("arguments"))]
    return digest({name: value for name, value in item.items() if name not in _VOLATILE})


def elided(messages: Sequence[Raw], notice: str) -> list[Raw]:
    """Return the items with a short word in place of each output that is longer."""
    made: list[Raw] = []
    for raw in messages:
        item = table(raw)
        result = item.get("type") == "function_call_output"
        long = result and len(raw) > len(notice) + _ENVELOPE
        made.append(encoded({**item, "output": notice}) if long else raw)
    return made


def marked(full: Sequence[Raw], replaced: Sequence[Raw]) -> list[Raw]:
    return list(full)  # there are no cache marks in this dialect

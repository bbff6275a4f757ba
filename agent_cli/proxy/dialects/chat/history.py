"""The history of a conversation in the Chat Completions dialect."""

from collections.abc import Sequence
from typing import Any

from msgspec import Raw

from agent_cli.proxy.dialects.base import encoded, is_object, table
from agent_cli.proxy.dialects.canonical import arguments_value, digest_of_image, tidy
from agent_cli.proxy.dialects.chat.reply import call_of, plain_text
from agent_cli.proxy.dialects.shapes import mappings
from agent_cli.proxy.dialects.turns import Call, Part, Role, Stretch, Turn
from agent_cli.proxy.envelopes import Envelope


def said(turn: Turn, keep: Sequence[int], *, only_calls: bool = False) -> list[Raw]:
    calls = [_sound(part) for part in turn.parts if part.role is Role.CALL]
    texts = [part.raw for part in turn.parts if part.role is Role.TEXT]
    message: dict[str, Any] = {"role": "assistant", "content": None}
    if texts and not only_calls:
        message["content"] = texts[0]
    message |= {
        name: value
        for name, value in turn.extra.items()
        if value is not None and not only_calls and name not in ("role", "annotations")
    }
    if kept := [calls[place] for place in keep]:
        message["tool_calls"] = kept
    elif message["content"] is None:
        message["content"] = ""
    return [encoded(message)]


def _sound(part: Part) -> Raw:
    """Return the call with arguments that no upstream refuses a whole request for."""
    if part.call is None or not part.call.name or is_object(part.call.arguments):
        return part.raw
    call = table(part.raw)
    return encoded({**call, "function": {**call["function"], "arguments": "{}"}})


def answered(results: Sequence[tuple[Call, Envelope]], instruction: str = "") -> list[Raw]:
    messages = [_result(call, envelope) for call, envelope in results]
    if instruction:
        messages.append(encoded({"role": "user", "content": instruction}))
    return messages


def _result(call: Call, envelope: Envelope) -> Raw:
    text = envelope.text
    for media_type, data in envelope.images:
        text += f"\n[{media_type}, {len(data) * 3 // 4} bytes: cannot be shown]"
    return encoded({"role": "tool", "tool_call_id": call.id, "content": text})


def joined(history: Sequence[Raw], more: Sequence[Raw]) -> list[Raw]:
    return [*history, *more]


def stretches(history: Sequence[Raw]) -> list[Stretch]:
    found: list[Stretch] = []
    for place, raw in enumerate(history):
        message = table(raw)
        if message.get("role") != "assistant":
            continue
        calls = mappings(message.get("tool_calls"))
        found.append(
            Stretch(
                place,
                place + 1,
                plain_text(message.get("content")),
                tuple(call_of(call, str(call.get("id"))) for call in calls),
            )
        )
    return found


def merged_results(
    after: Sequence[Raw], results: Sequence[tuple[Call, Envelope]], order: Sequence[str]
) -> list[Raw]:
    theirs = 0
    while theirs < len(after) and table(after[theirs]).get("role") == "tool":
        theirs += 1
    all_results = [*answered(results), *after[:theirs]]
    places = {id_: place for place, id_ in enumerate(order)}
    all_results.sort(key=lambda raw: places.get(str(table(raw).get("tool_call_id")), len(places)))
    return [*all_results, *after[theirs:]]


def canonical(message: Raw) -> object:
    read = table(message)
    role = str(read.get("role"))
    if role in ("system", "developer"):
        return None
    content = read.get("content")
    words = tidy(plain_text(content))
    others = [digest_of_image(part) for part in mappings(content) if "text" not in part]
    calls = [
        [call.id, call.shown_name, arguments_value(call.arguments)]
        for one in mappings(read.get("tool_calls"))
        for call in (call_of(one, str(one.get("id"))),)
    ]
    return [role, words, others, calls, str(read.get("tool_call_id") or "")]


def elided(messages: Sequence[Raw], notice: str) -> list[Raw]:
    """Return the messages with a short word in place of each result that is longer."""
    made: list[Raw] = []
    for raw in messages:
        message = table(raw)
        long = message.get("role") == "tool" and len(plain_text(message.get("content"))) > len(
            notice
        )
        made.append(encoded({**message, "content": notice}) if long else raw)
    return made


def marked(full: Sequence[Raw], replaced: Sequence[Raw]) -> list[Raw]:
    return list(full)  # there are no cache marks in this dialect

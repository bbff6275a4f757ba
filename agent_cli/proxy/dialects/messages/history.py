"""The history of a conversation in the Messages dialect.

All results of a turn stand in the one message after it, before any words.
"""

from collections.abc import Sequence
from typing import Any

import msgspec
from msgspec import Raw

from agent_cli.proxy.dialects.base import (
    Fields,
    encoded,
    is_text,
    items,
    members,
    table,
    value_of,
)
from agent_cli.proxy.dialects.canonical import digest_of_image, tidy
from agent_cli.proxy.dialects.messages.reply import THOUGHTS
from agent_cli.proxy.dialects.shapes import mappings, words
from agent_cli.proxy.dialects.turns import Call, Part, Role, Stretch, Turn
from agent_cli.proxy.envelopes import Envelope


def said(turn: Turn, keep: Sequence[int], *, only_calls: bool = False) -> list[Raw]:
    place = -1
    blocks: list[Raw] = []
    for part in turn.parts:
        if part.role is Role.CALL:
            place += 1
            if place in keep:
                blocks.append(part.raw)
        elif not only_calls and not _is_empty(part):
            blocks.append(part.raw)
    return [encoded({"role": "assistant", "content": blocks})] if blocks else []


def _is_empty(part: Part) -> bool:
    return part.role is Role.TEXT and not part.text.strip()


def answered(results: Sequence[tuple[Call, Envelope]], instruction: str = "") -> list[Raw]:
    blocks = [_result(call, envelope) for call, envelope in results]
    if instruction:
        blocks.append(encoded({"type": "text", "text": instruction}))
    return [encoded({"role": "user", "content": blocks})]


def _result(call: Call, envelope: Envelope) -> Raw:
    content: Any = envelope.text
    if envelope.images:
        content = [{"type": "text", "text": envelope.text}]
        for media_type, data in envelope.images:
            source = {"type": "base64", "media_type": media_type, "data": data}
            content.append({"type": "image", "source": source})
    block = {"type": "tool_result", "tool_use_id": call.id, "content": content}
    return encoded(block if envelope.ok else {**block, "is_error": True})


def joined(history: Sequence[Raw], more: Sequence[Raw]) -> list[Raw]:
    """Join; two messages of the user's side become one, results first."""
    if not history or not more:
        return [*history, *more]
    last, first = members(history[-1]), members(more[0])
    if value_of(last, "role") != "user" or value_of(first, "role") != "user":
        return [*history, *more]
    blocks = [*blocks_of(last), *blocks_of(first)]
    blocks.sort(key=lambda raw: table(raw).get("type") != "tool_result")
    return [*history[:-1], encoded({**last, "content": blocks}), *more[1:]]


def blocks_of(message: Fields) -> list[Raw]:
    content = message.get("content", Raw(b"[]"))
    if is_text(content):
        return [encoded({"type": "text", "text": msgspec.json.decode(content)})]
    return items(content)


def stretches(history: Sequence[Raw]) -> list[Stretch]:
    found: list[Stretch] = []
    for place, raw in enumerate(history):
        message = members(raw)
        if value_of(message, "role") != "assistant":
            continue
        blocks = [members(block) for block in blocks_of(message)]
        uses = [block for block in blocks if value_of(block, "type") == "tool_use"]
        text = "".join(
            words(value_of(block, "text")) for block in blocks if value_of(block, "type") == "text"
        )
        calls = tuple(
            Call(
                words(value_of(block, "id")),
                words(value_of(block, "name")),
                bytes(block.get("input", Raw(b"{}"))).decode(),
            )
            for block in uses
        )
        found.append(Stretch(place, place + 1, text, calls))
    return found


def merged_results(
    after: Sequence[Raw], results: Sequence[tuple[Call, Envelope]], order: Sequence[str]
) -> list[Raw]:
    made = [_result(call, envelope) for call, envelope in results]
    first = members(after[0]) if after else {}
    if value_of(first, "role") != "user":
        return [encoded({"role": "user", "content": made}), *after]
    places = {id_: place for place, id_ in enumerate(order)}

    def place_of(raw: Raw) -> int:
        return places.get(words(table(raw).get("tool_use_id")), len(places))

    blocks = sorted([*made, *blocks_of(first)], key=place_of)
    return [encoded({**first, "content": blocks}), *after[1:]]


def canonical(message: Raw) -> object:
    fields = members(message)
    texts: list[str] = []
    others: list[object] = []
    for raw in blocks_of(fields):
        block = table(raw)
        kind = words(block.get("type"))
        if kind == "text":
            texts.append(words(block.get("text")))
        elif kind == "tool_use":
            others.append([block.get("id"), block.get("name"), block.get("input")])
        elif kind == "tool_result":
            content = block.get("content")
            shown = words(content) or "".join(words(one.get("text")) for one in mappings(content))
            others.append([block.get("tool_use_id"), tidy(shown)])
        elif kind not in THOUGHTS:
            others.append(digest_of_image(block))
    return [value_of(fields, "role"), tidy("".join(texts)), others]


def elided(messages: Sequence[Raw], notice: str) -> list[Raw]:
    """Return the messages with a short word in place of each result that is longer."""
    made: list[Raw] = []
    for raw in messages:
        message = members(raw)
        blocks = blocks_of(message)
        short = [_short(block, notice) for block in blocks]
        changed = any(one is not other for one, other in zip(blocks, short, strict=True))
        made.append(encoded({**message, "content": short}) if changed else raw)
    return made


def _short(block: Raw, notice: str) -> Raw:
    fields = members(block)
    result = value_of(fields, "type") == "tool_result"
    if not result or len(fields.get("content", b"")) <= len(notice) + 2:
        return block
    return encoded({**fields, "content": notice})

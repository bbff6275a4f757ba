"""A reply that is known whole, as the frames in which an upstream would have streamed it."""

import time
from collections.abc import Iterator
from itertools import count
from typing import Any

import msgspec

from agent_cli.proxy.dialects.base import encoded, fresh_id, table
from agent_cli.proxy.dialects.shapes import mappings, words
from agent_cli.proxy.dialects.turns import Part, Role, Turn
from agent_cli.wire.frames import Frame


def replay(turn: Turn) -> Iterator[Frame]:
    numbers = count()

    def frame(kind: str, **fields: object) -> Frame:
        event = {"type": f"response.{kind}", "sequence_number": next(numbers), **fields}
        return Frame(msgspec.json.encode(event), f"response.{kind}")

    begun: dict[str, Any] = {**turn.head, "status": "in_progress", "output": [], "usage": None}
    yield frame("created", response=begun)
    yield frame("in_progress", response=begun)
    for place, part in enumerate(turn.parts):
        item = table(part.raw)
        yield frame("output_item.added", output_index=place, item=_begun(item, part))
        where = {"item_id": words(item.get("id")), "output_index": place}
        for kind, fields in _pieces(item, part):
            yield frame(kind, **where, **fields)
        yield frame("output_item.done", output_index=place, item=part.raw)
    output = [part.raw for part in turn.parts]
    whole = {**turn.head, "output": output, "usage": turn.usage or None}
    yield frame(turn.finish, response=whole)


def _begun(item: dict[str, Any], part: Part) -> dict[str, Any]:
    if part.role is Role.TEXT:
        return {**item, "status": "in_progress", "content": []}
    if "arguments" in item:
        return {**item, "status": "in_progress", "arguments": ""}
    return item


def _pieces(item: dict[str, Any], part: Part) -> Iterator[tuple[str, dict[str, Any]]]:
    if part.role is Role.TEXT:
        for number, one in enumerate(mappings(item.get("content"))):
            kind = "refusal" if "refusal" in one else "output_text"
            name = "refusal" if "refusal" in one else "text"
            at = {"content_index": number}
            text = words(one.get(name))
            yield "content_part.added", {**at, "part": {**one, name: ""}}
            yield f"{kind}.delta", {**at, "delta": text}
            yield f"{kind}.done", {**at, name: text}
            yield "content_part.done", {**at, "part": one}
    elif "arguments" in item:
        text = words(item.get("arguments"))
        yield "function_call_arguments.delta", {"delta": text}
        yield "function_call_arguments.done", {"arguments": text, "name": item.get("name")}


def worded(text: str, like: Turn | None = None) -> Turn:
    """Return a reply that says nothing but this."""
    head: dict[str, Any] = {
        "id": fresh_id("resp_"),
        "object": "response",
        "created_at": int(time.time()),
        "model": "",
        **(like.head if like else {}),
        "status": "completed",
        "error": None,
        "incomplete_details": None,
    }
    part: dict[str, Any] = {"type": "output_text", "text": text, "annotations": []}
    item = {
        "id": fresh_id("msg_"),
        "type": "message",
        "status": "completed",
        "role": "assistant",
        "content": [part],
    }
    parts = (Part(Role.TEXT, encoded(item), text=text),) if text else ()
    return Turn(parts, "completed", {}, head)

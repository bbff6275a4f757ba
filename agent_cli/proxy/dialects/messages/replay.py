"""A reply that is known whole, as the frames in which an upstream would have streamed it."""

from collections.abc import Iterator
from typing import Any

import msgspec
from msgspec import Raw

from agent_cli.proxy.dialects.base import encoded, fresh_id, members, value_of
from agent_cli.proxy.dialects.turns import Part, Role, Turn
from agent_cli.wire.frames import Frame


def replay(turn: Turn) -> Iterator[Frame]:
    message: dict[str, Any] = {
        **turn.head,
        "content": [],
        "stop_reason": None,
        "stop_sequence": None,
    }
    yield _frame("message_start", message={**message, "usage": turn.usage})
    for place, part in enumerate(turn.parts):
        start, deltas = _parted(part)
        yield _frame("content_block_start", index=place, content_block=start)
        for delta in deltas:
            yield _frame("content_block_delta", index=place, delta=delta)
        yield _frame("content_block_stop", index=place)
    stop = {"stop_reason": turn.finish, "stop_sequence": turn.head.get("stop_sequence")}
    yield _frame("message_delta", delta=stop, usage=turn.usage)
    yield _frame("message_stop")


def _parted(part: Part) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """Return how a block begins, and what follows."""
    fields = members(part.raw)
    start: dict[str, Any] = dict(fields)
    if part.role is Role.CALL and part.call is not None:
        start["input"] = Raw(b"{}")
        return start, [{"type": "input_json_delta", "partial_json": part.call.arguments}]
    if part.role is Role.TEXT:
        return {**start, "text": ""}, [{"type": "text_delta", "text": part.text}]
    if part.role is Role.THOUGHT and "thinking" in fields:
        deltas = [{"type": "thinking_delta", "thinking": value_of(fields, "thinking")}]
        if signature := value_of(fields, "signature"):
            deltas.append({"type": "signature_delta", "signature": signature})
        return {**start, "thinking": "", "signature": ""}, deltas
    return start, []


def _frame(kind: str, **fields: object) -> Frame:
    return Frame(msgspec.json.encode({"type": kind, **fields}), kind)


def worded(text: str, like: Turn | None = None) -> Turn:
    """Return a reply that says nothing but this."""
    head: dict[str, Any] = {
        "id": fresh_id("msg_"),
        "type": "message",
        "role": "assistant",
        "model": "",
        **(like.head if like else {}),
        "stop_sequence": None,
    }
    parts = (Part(Role.TEXT, encoded({"type": "text", "text": text}), text=text),) if text else ()
    return Turn(parts, "end_turn", {}, head)

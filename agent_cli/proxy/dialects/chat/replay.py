"""A reply that is known whole, as the frames in which an upstream would have streamed it."""

import time
from collections.abc import Iterator
from typing import Any

import msgspec

from agent_cli.proxy.dialects.base import encoded, fresh_id
from agent_cli.proxy.dialects.turns import Part, Role, Turn
from agent_cli.wire.frames import Frame


def replay(turn: Turn) -> Iterator[Frame]:
    head = {name: value for name, value in turn.head.items() if name != "choice"}
    envelope = {**head, "object": "chat.completion.chunk"}

    def chunk(delta: dict[str, Any], finish: str | None = None) -> Frame:
        choice = {"index": 0, "delta": delta, "finish_reason": finish}
        return Frame(msgspec.json.encode({**envelope, "choices": [choice]}))

    yield chunk({"role": "assistant"})
    thoughts = {name: text for name, text in turn.extra.items() if isinstance(text, str)}
    for name, text in thoughts.items():
        if name != "role" and text:
            yield chunk({name: text})
    place = 0
    for part in turn.parts:
        if part.role is Role.TEXT:
            yield chunk({"content": part.text})
        elif part.role is Role.CALL:
            call: dict[str, Any] = msgspec.json.decode(part.raw)
            yield chunk({"tool_calls": [{"index": place, **call}]})
            place += 1
    yield chunk({}, turn.finish)
    yield Frame(msgspec.json.encode({**envelope, "choices": [], "usage": turn.usage or None}))
    yield Frame(b"[DONE]")


def worded(text: str, like: Turn | None = None) -> Turn:
    """Return a reply that says nothing but this."""
    head: dict[str, Any] = {
        "id": fresh_id("chatcmpl-"),
        "object": "chat.completion",
        "created": int(time.time()),
        "model": "",
        **(like.head if like else {}),
    }
    parts = (Part(Role.TEXT, encoded(text), text=text),) if text else ()
    return Turn(parts, "stop", {}, head)

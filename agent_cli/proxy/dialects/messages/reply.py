"""Whole replies in the Messages dialect."""

from collections.abc import Sequence
from typing import Any

import msgspec
from msgspec import Raw

from agent_cli.proxy.dialects.base import (
    FIELDS,
    LIST,
    Fields,
    encoded,
    members,
    sound_ids,
    value_of,
)
from agent_cli.proxy.dialects.shapes import mapping, words
from agent_cli.proxy.dialects.turns import Call, Part, Role, Round, Turn
from agent_cli.proxy.envelopes import ProxyError, anthropic_error
from agent_cli.types.errors import WireError

CUT = frozenset({"max_tokens", "model_context_window_exceeded"})
THOUGHTS = frozenset({"thinking", "redacted_thinking"})
_BODY_PARTS = ("content", "usage", "stop_reason")


def read(body: bytes) -> Turn:
    """Read a reply; raises WireError for what is none."""
    try:
        fields = FIELDS.decode(body)
        blocks = LIST.decode(fields["content"])
    except (msgspec.DecodeError, KeyError) as error:
        raise WireError(f"not a message: {error}") from error
    head = {name: value_of(fields, name) for name in fields if name not in _BODY_PARTS}
    finish = words(value_of(fields, "stop_reason"))
    usage = mapping(value_of(fields, "usage"))
    return assembled(blocks, finish=finish, usage=usage, head=head)


def assembled(
    blocks: Sequence[Raw],
    *,
    finish: str,
    usage: dict[str, Any],
    head: dict[str, Any],
    arguments: dict[int, str] | None = None,
) -> Turn:
    """Return the reply; `arguments` are those that are no JSON, by the block's place."""
    read_blocks = [members(raw) for raw in blocks]
    kinds = [words(value_of(block, "type")) for block in read_blocks]
    uses = [place for place, kind in enumerate(kinds) if kind == "tool_use"]
    ids, repaired = sound_ids([words(value_of(read_blocks[at], "id")) for at in uses], "toolu_")
    named = dict(zip(uses, ids, strict=True))
    parts: list[Part] = []
    for place, (raw, block, kind) in enumerate(zip(blocks, read_blocks, kinds, strict=True)):
        if kind == "tool_use":
            sound = encoded({**block, "id": named[place]}) if repaired else raw
            text = (arguments or {}).get(place, bytes(block.get("input", Raw(b"{}"))).decode())
            call = Call(named[place], words(value_of(block, "name")), text)
            parts.append(Part(Role.CALL, sound, call=call))
        elif kind == "text":
            parts.append(Part(Role.TEXT, raw, text=words(value_of(block, "text"))))
        else:
            parts.append(Part(Role.THOUGHT if kind in THOUGHTS else Role.OTHER, raw))
    return Turn(
        tuple(parts),
        finish,
        usage,
        head,
        cut=finish in CUT,
        bound=any(part.role is Role.THOUGHT for part in parts),
        repaired=repaired,
    )


def cleaned(body: bytes, asked: Fields) -> bytes:
    return body


def compose(rounds: Sequence[Round], usage: dict[str, Any], asked: Fields) -> bytes:
    """Return one reply that stands for all rounds."""
    first, last = rounds[0].turn, rounds[-1]
    head = {**last.turn.head, **{key: first.head[key] for key in KEPT if key in first.head}}
    content = [part.raw for one in rounds for part in one.shown]
    return msgspec.json.encode(
        {**head, "content": content, "stop_reason": finish_of(last), "usage": usage}
    )


KEPT = ("id", "model")
"""What the client is told at the start and holds to the end."""


def finish_of(last: Round) -> str:
    """Return the stop reason that fits what is shown."""
    if last.turn.finish == "tool_use" and not last.release:
        return "end_turn"
    return last.turn.finish


def error_body(error: ProxyError, request_id: str) -> dict[str, Any]:
    return anthropic_error(error, request_id)

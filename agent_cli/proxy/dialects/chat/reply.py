"""Whole replies in the Chat Completions dialect."""

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec
from msgspec import Raw

from agent_cli.proxy.dialects.base import (
    FIELDS,
    LIST,
    Fields,
    encoded,
    items,
    sound_ids,
    table,
    value_of,
)
from agent_cli.proxy.dialects.shapes import mapping, mappings, words
from agent_cli.proxy.dialects.turns import Call, Part, Role, Round, Turn
from agent_cli.proxy.envelopes import ProxyError, openai_error
from agent_cli.types.errors import WireError

CUT = frozenset({"length", "max_tokens", "model_length"})
THOUGHTS = ("reasoning_content", "reasoning")
SEPARATOR = "\n\n"
_BODY_PARTS = ("choices", "usage")
_MESSAGE_PARTS = ("content", "tool_calls", "function_call")


def read(body: bytes) -> Turn:
    """Read a reply; raises WireError for what is none."""
    try:
        fields = FIELDS.decode(body)
        first = LIST.decode(fields.get("choices", Raw(b"[]")))[0]
        choice = FIELDS.decode(first)
        message = FIELDS.decode(choice["message"])
    except (msgspec.DecodeError, KeyError, IndexError) as error:
        raise WireError(f"not a chat completion: {error}") from error
    finish = words(value_of(choice, "finish_reason"))
    head = {name: value_of(fields, name) for name in fields if name not in _BODY_PARTS}
    beside = {name: choice[name] for name in choice if name not in ("message", "finish_reason")}
    extra = {name: message[name] for name in message if name not in _MESSAGE_PARTS}
    return assembled(
        text_part(message.get("content")),
        calls_in(message),
        finish=finish,
        usage=mapping(value_of(fields, "usage")),
        head={**head, "choice": {name: msgspec.json.decode(raw) for name, raw in beside.items()}},
        extra={name: msgspec.json.decode(raw) for name, raw in extra.items()},
    )


def assembled(
    text: Part | None,
    calls: Sequence[Raw],
    *,
    finish: str,
    usage: dict[str, Any],
    head: dict[str, Any],
    extra: dict[str, Any],
) -> Turn:
    """Return the reply; calls without an id of their own get one."""
    written = [table(raw) for raw in calls]
    ids, repaired = sound_ids([str(call.get("id") or "") for call in written], "call_")
    parts = [text] if text is not None else []
    for raw, call, id_ in zip(calls, written, ids, strict=True):
        sound = raw if call.get("id") == id_ else encoded({**call, "id": id_})
        parts.append(Part(Role.CALL, sound, call=call_of(call, id_)))
    return Turn(
        tuple(parts),
        finish,
        usage,
        head,
        extra,
        cut=finish in CUT,
        bound=any("extra_content" in call for call in written),
        repaired=repaired,
    )


def text_part(content: Raw | None) -> Part | None:
    value = msgspec.json.decode(content) if content else None
    if not value:
        return None
    return Part(Role.TEXT, content or Raw(), text=plain_text(value))


def plain_text(content: Any) -> str:
    if isinstance(content, str):
        return content
    return "".join(words(part.get("text")) for part in mappings(content))


def calls_in(message: Fields) -> list[Raw]:
    """Return the message's calls; one in the old form as one of the new."""
    calls = items(message.get("tool_calls"))
    if old := table(message.get("function_call")):
        calls.append(encoded({"type": "function", "function": old}))
    return calls


def call_of(call: Mapping[str, Any], id_: str) -> Call:
    function = mapping(call.get("function"))
    if function and call.get("type", "function") == "function":
        arguments = function.get("arguments")
        text = arguments if isinstance(arguments, str) else msgspec.json.encode(arguments).decode()
        return Call(id_, str(function.get("name") or ""), text)
    kind = str(call.get("type"))
    return Call(id_, "", "", str(mapping(call.get(kind)).get("name", kind)))


def visible_text(rounds: Sequence[Round]) -> str:
    return SEPARATOR.join(text for one in rounds if (text := one.text))


def cleaned(body: bytes, asked: Fields) -> bytes:
    return body


def compose(rounds: Sequence[Round], usage: dict[str, Any], asked: Fields) -> bytes:
    """Return one reply that stands for all rounds."""
    first, last = rounds[0].turn, rounds[-1]
    extra = dict(last.turn.extra)
    for name in THOUGHTS:
        thoughts = [
            words(one.turn.extra.get(name)) for one in rounds if one.shows_thoughts or one.text
        ]
        if any(thoughts):
            extra[name] = "".join(thoughts)
    calls = [part.raw for part in last.shown if part.role is Role.CALL]
    message: dict[str, Any] = {"role": "assistant", "content": visible_text(rounds) or None}
    message |= {name: value for name, value in extra.items() if name != "role"}
    if calls:
        message["tool_calls"] = calls
    head = {**last.turn.head, **{key: first.head[key] for key in KEPT if key in first.head}}
    choice = {
        "index": 0,
        **head.pop("choice", {}),
        "message": message,
        "finish_reason": finish_of(last),
    }
    body = {**head, "choices": [choice]}
    return msgspec.json.encode(body | {"usage": usage} if usage else body)


KEPT = ("id", "created", "model")
"""What the client is told at the start and holds to the end."""


def finish_of(last: Round) -> str:
    """Return the finish reason that fits what is shown."""
    if last.turn.finish in ("tool_calls", "function_call") and not last.release:
        return "stop"
    return last.turn.finish


def error_body(error: ProxyError, request_id: str) -> dict[str, Any]:
    return openai_error(error)

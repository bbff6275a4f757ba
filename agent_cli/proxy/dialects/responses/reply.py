"""Whole replies in the Responses dialect."""

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec
from msgspec import Raw

from agent_cli.proxy.dialects.base import (
    FIELDS,
    LIST,
    Fields,
    encoded,
    fresh_id,
    sound_ids,
    table,
    value_of,
)
from agent_cli.proxy.dialects.shapes import mapping, mappings, words
from agent_cli.proxy.dialects.turns import Call, Part, Role, Round, Turn
from agent_cli.proxy.envelopes import ProxyError, openai_error
from agent_cli.types.errors import WireError

FUNCTION = "function_call"
CALLS = frozenset(
    {
        FUNCTION, "custom_tool_call", "local_shell_call", "shell_call", "apply_patch_call",
        "computer_call", "mcp_approval_request",
    }
)  # fmt: skip
"""Only the first can be ours."""
_ENDED = frozenset({"completed", "incomplete"})


def read(body: bytes) -> Turn:
    """Read a reply; raises WireError for what is none, or has failed."""
    try:
        fields = FIELDS.decode(body)
        items = LIST.decode(fields["output"])
    except (msgspec.DecodeError, KeyError) as error:
        raise WireError(f"not a response: {error}") from error
    status = words(value_of(fields, "status"))
    if status not in _ENDED:
        raise WireError(f"a response of status {status!r}")
    head = {name: value_of(fields, name) for name in fields if name not in ("output", "usage")}
    return assembled(items, head=head, usage=mapping(value_of(fields, "usage")))


def assembled(items: Sequence[Raw], *, head: dict[str, Any], usage: dict[str, Any]) -> Turn:
    read_items = [table(raw) for raw in items]
    kinds = [words(item.get("type")) for item in read_items]
    called = [place for place, kind in enumerate(kinds) if kind in CALLS]
    given = [words(read_items[at].get("call_id")) for at in called]
    functions = [kinds[at] == FUNCTION for at in called]
    ids, repaired = sound_ids(
        [id_ if ours else fresh_id("") for id_, ours in zip(given, functions, strict=True)], "call_"
    )
    named = dict(zip(called, ids, strict=True))
    parts: list[Part] = []
    for place, (raw, item, kind) in enumerate(zip(items, read_items, kinds, strict=True)):
        if kind == FUNCTION:
            parts.append(_function(raw, item, named[place]))
        elif kind in CALLS:
            id_ = words(item.get("call_id")) or words(item.get("id"))
            known_as = words(item.get("name")) or kind
            parts.append(Part(Role.CALL, raw, call=Call(id_, "", "", known_as)))
        elif kind == "message":
            parts.append(Part(Role.TEXT, raw, text=text_of(item)))
        else:
            parts.append(Part(Role.THOUGHT if kind == "reasoning" else Role.OTHER, raw))
    return Turn(
        tuple(parts),
        words(head.get("status")),
        usage,
        head,
        cut=head.get("status") == "incomplete",
        bound=any(part.role is Role.THOUGHT for part in parts),
        repaired=repaired,
    )


def _function(raw: Raw, item: dict[str, Any], id_: str) -> Part:
    sound = raw if item.get("call_id") == id_ else encoded({**item, "call_id": id_})
    return Part(Role.CALL, sound, call=call_of(item, id_))


def call_of(item: Mapping[str, Any], id_: str) -> Call:
    arguments = item.get("arguments")
    text = arguments if isinstance(arguments, str) else msgspec.json.encode(arguments).decode()
    return Call(id_, words(item.get("name")), text)


def text_of(item: Mapping[str, Any]) -> str:
    """Return the words of a message, whichever way its content is written."""
    content = item.get("content")
    texts = (words(part.get("text")) or words(part.get("refusal")) for part in mappings(content))
    return words(content) or "".join(texts)


_ECHOED = ("tools", "tool_choice")
"""What a response repeats of its request, ours included."""


def as_asked(response: Mapping[str, Any], asked: Fields) -> dict[str, Any]:
    """Return the response as if nothing had been added to the request."""
    made = dict(response)
    for name in _ECHOED:
        if name in made and name in asked:
            made[name] = asked[name]
    if "tools" in made and "tools" not in asked:
        made["tools"] = []
    return made


def cleaned(body: bytes, asked: Fields) -> bytes:
    return msgspec.json.encode(as_asked(FIELDS.decode(body), asked))


def response(rounds: Sequence[Round], usage: dict[str, Any], asked: Fields) -> dict[str, Any]:
    """Return one response that stands for all rounds."""
    first, last = rounds[0].turn, rounds[-1]
    head = {**last.turn.head, **{key: first.head[key] for key in KEPT if key in first.head}}
    output = [part.raw for one in rounds for part in one.shown]
    return {**as_asked(head, asked), "output": output, "usage": usage or None}


def compose(rounds: Sequence[Round], usage: dict[str, Any], asked: Fields) -> bytes:
    return msgspec.json.encode(response(rounds, usage, asked))


KEPT = ("id", "created_at", "model")
"""What the client is told at the start and holds to the end."""


def error_body(error: ProxyError, request_id: str) -> dict[str, Any]:
    return openai_error(error)

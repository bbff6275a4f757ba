"""What all dialects have in common: the values in which they speak of requests and replies.

Everything that is passed on is kept as the bytes that came: only what mediation is about is read.
"""

import secrets
from collections.abc import Mapping, Sequence
from enum import StrEnum
from typing import Any, TypeAlias

import msgspec
from msgspec import Raw, Struct

from agent_cli.proxy.dialects.shapes import mapping
from agent_cli.wire.call_ids import LEGAL

Fields: TypeAlias = dict[str, Raw]
"""A request's members, in the order in which they came."""

FIELDS = msgspec.json.Decoder(Fields)
LIST = msgspec.json.Decoder(list[Raw])
NULL = Raw(b"null")


class Offer(Struct, frozen=True):
    """A managed tool as the model is offered it."""

    name: str
    description: str
    schema: Raw


class Choice(StrEnum):
    """What the client lets the model do with tools."""

    AUTO = "auto"
    NONE = "none"
    ANY = "any"
    NAMED = "named"
    ALLOWED = "allowed"
    """Only some of those that are listed."""


class Call(Struct, frozen=True):
    id: str
    name: str
    """Empty for a kind of call that can only be the client's."""
    arguments: str
    """JSON text, byte for byte."""
    known_as: str = ""
    """What a call without a name is called in reports."""

    @property
    def shown_name(self) -> str:
        return self.name or self.known_as


class Role(StrEnum):
    """What a part of a reply is."""

    TEXT = "text"
    THOUGHT = "thought"
    CALL = "call"
    OTHER = "other"
    """Whatever the provider has done itself, and what nobody knows yet."""


class Part(Struct, frozen=True):
    role: Role
    raw: Raw
    """The block or item as it came, or the call with an id that it had to be given."""
    text: str = ""
    call: Call | None = None


class Turn(Struct, frozen=True):
    """One reply of the upstream, whole."""

    parts: tuple[Part, ...]
    finish: str
    """In the dialect's own words."""
    usage: dict[str, Any]
    head: dict[str, Any]
    """The reply without its parts: id, model and whatever else stands beside them."""
    extra: dict[str, Any] = {}
    """What belongs to the message and is no part of it."""
    cut: bool = False
    bound: bool = False
    """The reply holds reasoning that the provider wants back with all calls of the turn."""
    repaired: bool = False
    """A call had to be given an id."""

    @property
    def calls(self) -> tuple[Call, ...]:
        return tuple(part.call for part in self.parts if part.call is not None)

    @property
    def text(self) -> str:
        return "".join(part.text for part in self.parts if part.role is Role.TEXT)


class Round(Struct, frozen=True):
    """A turn, and what the client gets to see of it."""

    turn: Turn
    release: tuple[int, ...] = ()
    """Places among the calls."""
    last: bool = False
    """Its end is the end of the answer."""

    @property
    def shown(self) -> list[Part]:
        """The visible parts in their order."""
        found: list[Part] = []
        place = -1
        for number, part in enumerate(self.turn.parts):
            if part.role is Role.CALL:
                place += 1
                if place in self.release:
                    found.append(part)
            elif part.role is not Role.THOUGHT or self.last or self._leads_to_text(number):
                found.append(part)
        return found

    def _leads_to_text(self, number: int) -> bool:
        """Whether something that is shown at once follows the thought; a call would hide it."""
        later = (part.role for part in self.turn.parts[number:] if part.role is not Role.THOUGHT)
        return next(later, Role.CALL) is not Role.CALL


class Stretch(Struct, frozen=True):
    """What one reply of ours has become in a client's history."""

    start: int
    end: int
    """Places in the history, half open."""
    text: str
    calls: tuple[Call, ...]


class StreamCutError(Exception):
    """The upstream's stream ended before its terminal event, or reported an error in it."""

    def __init__(self, message: str, code: str = "upstream_stream_interrupted") -> None:
        super().__init__(message)
        self.code = code


def encoded(value: object) -> Raw:
    return Raw(msgspec.json.encode(value))


def fresh_id(prefix: str) -> str:
    return f"{prefix}{secrets.token_hex(12)}"


def sound_ids(given: Sequence[str], prefix: str) -> tuple[list[str], bool]:
    """Return ids that are legal and differ, and whether one had to be made."""
    used: set[str] = set()
    ids: list[str] = []
    for id_ in given:
        sound = LEGAL.fullmatch(id_) is not None and id_ not in used
        ids.append(id_ if sound else fresh_id(prefix))
        used.add(ids[-1])
    return ids, ids != list(given)


def items(raw: Raw | None) -> list[Raw]:
    """Return the members of a JSON array, none for anything else."""
    return LIST.decode(raw) if raw is not None and bytes(raw)[:1] == b"[" else []


def is_text(raw: Raw) -> bool:
    return bytes(raw)[:1] == b'"'


def is_object(text: str) -> bool:
    """Whether it is a JSON object, as all upstreams want arguments to be."""
    try:
        FIELDS.decode(text)
    except (msgspec.DecodeError, RecursionError):
        return False
    return True


def table(raw: Raw | None) -> dict[str, Any]:
    """Return the JSON object, an empty one for anything else."""
    return mapping(msgspec.json.decode(raw)) if raw else {}


def value_of(fields: Mapping[str, Raw], name: str) -> Any:
    raw = fields.get(name)
    return msgspec.json.decode(raw) if raw is not None and raw else None

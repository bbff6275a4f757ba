"""What all dialects have in common: the values in which they speak of requests and replies.

Everything that is passed on is kept as the bytes that came: only what mediation is about is read.
"""

import secrets
from collections.abc import Collection, Container, Mapping, Sequence
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


def theirs(name: str, id_: str, used: Collection[str], owned: Container[str]) -> bool:
    """Whether a call is the client's, and can be shown under the id that it has."""
    return LEGAL.fullmatch(id_) is not None and id_ not in used and name not in owned


def items(raw: Raw | None) -> list[Raw]:
    """Return the members of a JSON array, none for anything else."""
    return LIST.decode(raw) if raw is not None and bytes(raw)[:1] == b"[" else []


def members(raw: Raw) -> Fields:
    """Return the members of a JSON object, none for anything else."""
    return FIELDS.decode(raw) if bytes(raw)[:1] == b"{" else {}


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

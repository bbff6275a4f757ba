"""What a server says of its tools and resources, made fit to be shown to a model.

Whatever a server writes is only text: what cannot be seen is taken out of it, and its length is
bounded. A schema is passed on as it is but for what providers refuse a whole request for; where
that cannot be mended, the tool is not offered by a name of its own.
"""

import re
import unicodedata
from collections.abc import Iterator
from typing import Any, cast

import msgspec
from msgspec import Raw, Struct

LONGEST_DESCRIPTION = 4_000
"""Characters."""
_LARGEST_SCHEMA = 32 * 1024
"""Bytes of JSON."""
_DEEPEST = 24
_HIDDEN = frozenset({"Cc", "Cf", "Cs", "Co", "Cn"})
_KEY = re.compile(r"[A-Za-z0-9_.-]{1,64}")
_REFUSED_AT_THE_TOP = ("$schema", "$id", "anyOf", "oneOf", "allOf", "not", "enum", "if", "then")


class Definition(Struct, frozen=True):
    """One tool, as the server defined it when it was last asked."""

    name: str
    description: str
    schema: dict[str, Any]
    read_only: bool = False
    """By the server's own account."""


class Resource(Struct, frozen=True):
    uri: str
    """A template where it holds braces."""
    name: str
    description: str = ""


def plain(text: str, longest: int = LONGEST_DESCRIPTION) -> str:
    """Return what of a text can be seen, no more than so many characters of it."""
    kept = "".join(one for one in text if one in "\n\t" or unicodedata.category(one) not in _HIDDEN)
    return kept if len(kept) <= longest else f"{kept[:longest]} [cut off]"


def schema(definition: Definition) -> Raw | None:
    """Return the schema as every provider takes it; None if there is none like that."""
    if _depth(definition.schema) > _DEEPEST:
        return None
    made = {
        key: value for key, value in definition.schema.items() if key not in _REFUSED_AT_THE_TOP
    }
    properties = made.get("properties", {})
    if not isinstance(properties, dict):
        return None
    named = {**_alternatives(definition.schema), **cast("dict[str, Any]", properties)}
    if not all(_KEY.fullmatch(key) for key in named):
        return None
    made |= {"type": "object", "properties": named}
    encoded = msgspec.json.encode(made)
    return Raw(encoded) if len(encoded) <= _LARGEST_SCHEMA else None


def _alternatives(schema: dict[str, Any]) -> dict[str, Any]:
    """Return properties that only parts of the schema name, all of them optional then."""
    found: dict[str, Any] = {}
    for key in ("allOf", "anyOf", "oneOf"):
        for part in _dicts(schema.get(key)):
            for properties in _dicts([part.get("properties")]):
                found |= properties
    return found


def _dicts(value: object) -> Iterator[dict[str, Any]]:
    if isinstance(value, list):
        for one in cast("list[object]", value):
            if isinstance(one, dict):
                yield cast("dict[str, Any]", one)


def _depth(value: object) -> int:
    """Return how deep it goes, at most one more than is bearable."""
    level = [value]
    for depth in range(_DEEPEST + 1):
        level = [one for outer in level for one in _inside(outer)]
        if not level:
            return depth
    return _DEEPEST + 1


def _inside(value: object) -> list[object]:
    if isinstance(value, dict):
        return list(cast("dict[str, object]", value).values())
    return cast("list[object]", value) if isinstance(value, list) else []

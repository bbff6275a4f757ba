"""Schemas that a vendor can hold a model to, in the subset of JSON Schema that OpenAI enforces.

There every object closes itself and lists all its properties as required, so what is optional must
be nullable instead: our tools take null for absent. A schema that cannot be said like that would
come to mean something else, or be refused together with the whole request; it is left as it is.

No other wire asks for it: the Messages format bounds how many tools of a request may be strict.
"""

import functools
from typing import Any

import msgspec
from msgspec import UNSET, Raw, Struct, UnsetType, field
from msgspec.structs import replace

from agent_cli.types.requests import ToolSpec

_DEEPEST = 5
_MOST_PROPERTIES = 100
_NULL = "null"


class _Node(Struct, forbid_unknown_fields=True, omit_defaults=True, rename="camel"):
    """A schema that says nothing but what the vendor knows, or what may be left out."""

    type: str | list[str] | UnsetType = UNSET
    description: str | UnsetType = UNSET
    properties: dict[str, "_Node"] | UnsetType = UNSET
    required: list[str] | UnsetType = UNSET
    additional_properties: bool | UnsetType = UNSET
    items: "_Node | UnsetType" = UNSET
    any_of: list["_Node"] | UnsetType = UNSET
    enum: list[Any] | UnsetType = UNSET
    const: Any = UNSET
    pattern: str | UnsetType = UNSET
    minimum: float | UnsetType = UNSET
    maximum: float | UnsetType = UNSET
    min_items: int | UnsetType = UNSET
    max_items: int | UnsetType = UNSET
    min_length: int | UnsetType = UNSET
    """Left out like the rest: whoever runs the call holds it to this."""
    max_length: int | UnsetType = UNSET
    title: Any = UNSET
    default: Any = UNSET
    examples: Any = UNSET
    schema: Any = field(default=UNSET, name="$schema")


_NODE = msgspec.json.Decoder(_Node)


def strict(spec: ToolSpec) -> ToolSpec:
    """Return the tool as a strict one, or as it is where its schema does not allow that."""
    schema = _enforceable(bytes(spec.schema))
    return spec if schema is None else replace(spec, schema=Raw(schema), strict=True)


@functools.lru_cache(maxsize=512)
def _enforceable(schema: bytes) -> bytes | None:
    try:
        root = _NODE.decode(schema)
    except (msgspec.DecodeError, RecursionError):
        return None
    if root.type != "object" or root.any_of is not UNSET or not _holds(root, _DEEPEST):
        return None
    made = _said(root)
    return msgspec.json.encode(made) if _properties(made) <= _MOST_PROPERTIES else None


def _holds(node: _Node, room: int) -> bool:
    """Whether the schema still means the same once all is required and closed."""
    if node.type is UNSET and node.any_of is UNSET and not _is_choice(node):
        return False  # anything at all
    if "array" in _types(node) and node.items is UNSET:
        return False
    if "object" in _types(node) and not _is_closed(node, room):
        return False
    return all(_holds(one, room) for one in _inner(node))


def _is_closed(node: _Node, room: int) -> bool:
    properties = node.properties or {}
    says_all = node.additional_properties is False or (
        node.additional_properties is UNSET and bool(properties)
    )
    optional = {*properties}.difference(node.required or ())
    return (
        room > 0
        and says_all
        and {*(node.required or ())} <= {*properties}
        and all(_takes_null(properties[name]) for name in optional)
        and all(_holds(one, room - 1) for one in properties.values())
    )


def _said(node: _Node) -> _Node:
    """Return the schema with all required and closed, without what may be left out."""
    kept = replace(
        node,
        min_length=UNSET,
        max_length=UNSET,
        title=UNSET,
        default=UNSET,
        examples=UNSET,
        schema=UNSET,
        items=UNSET if node.items is UNSET else _said(node.items),
        any_of=UNSET if node.any_of is UNSET else [_said(one) for one in node.any_of],
    )
    if node.type is UNSET and _is_choice(node):
        kept = replace(kept, type="string")
    if "object" not in _types(node):
        return kept
    properties = {name: _said(one) for name, one in (node.properties or {}).items()}
    return replace(kept, properties=properties, required=[*properties], additional_properties=False)


def _types(node: _Node) -> list[str]:
    if node.type is UNSET:
        return []
    return [node.type] if isinstance(node.type, str) else node.type


def _is_choice(node: _Node) -> bool:
    """Whether the schema lists texts, which need no type to be known as such."""
    return bool(node.enum) and all(isinstance(one, str) for one in node.enum or ())


def _inner(node: _Node) -> list[_Node]:
    items = [] if node.items is UNSET else [node.items]
    return [*items, *(node.any_of or ())]


def _takes_null(node: _Node) -> bool:
    return _NULL in _types(node) or any(map(_takes_null, node.any_of or ()))


def _properties(node: _Node) -> int:
    properties = node.properties or {}
    inner = [*_inner(node), *properties.values()]
    return len(properties) + sum(map(_properties, inner))

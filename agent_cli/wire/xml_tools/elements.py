"""Lists and objects that a model writes as elements in a tag, instead of as JSON.

    <files><file><path>a.py</path><line_range>1-9</line_range></file></files>
    <follow_up><suggest mode="code">Do it</suggest></follow_up>

- Each element of a list is an item, whatever it is called.
- Elements and attributes of an object are its members. An element named like a list without the
  final `s` is one item of that list.
- An object without elements is its first required member, written as text.

Anything else is no such text, and left for the strict validation of arguments to refuse.
"""

import re
from typing import Any, TypeAlias

import msgspec
from msgspec import Struct

_Node: TypeAlias = dict[str, Any]
"""A JSON Schema without references, or a part of one."""

_QUOTED = r"\"[^\"<>]*\"|'[^'<>]*'"
_OPENING = re.compile(rf"\s*<(\w[\w.-]{{0,63}})((?:\s+[\w-]{{1,64}}=(?:{_QUOTED}))*)\s*>")
_ATTRIBUTE = re.compile(rf"([\w-]+)=({_QUOTED})")
_REST = re.compile(r"\s*\Z")
_PLAIN = frozenset({"string", "boolean", "integer", "number"})
_TYPES = _PLAIN | {"array", "object"}


class _Element(Struct, frozen=True):
    name: str
    attributes: dict[str, str]
    text: str


def from_elements(text: str, schema: _Node) -> bytes | None:
    """Return the JSON of a text of elements; None if the text is none, or does not fit."""
    elements = _elements(text)
    value = _structured(elements, text, schema) if elements else None
    return None if value is None else msgspec.json.encode(value)


def _elements(text: str) -> list[_Element] | None:
    found: list[_Element] = []
    at = 0
    while not _REST.match(text, at):
        opening = _OPENING.match(text, at)
        closing = f"</{opening[1]}>" if opening else ""
        end = text.find(closing, opening.end()) if opening else -1
        if opening is None or end < 0:
            return None
        attributes = {name: value[1:-1] for name, value in _ATTRIBUTE.findall(opening[2])}
        found.append(_Element(opening[1], attributes, text[opening.end() : end]))
        at = end + len(closing)
    return found


def _structured(elements: list[_Element], text: str, schema: _Node) -> Any:
    for node in (schema, *schema.get("anyOf", ())):
        if node.get("type") == "array":
            return [_value(element, node.get("items", {})) for element in elements]
        if node.get("type") == "object":
            return _object(elements, text, node)
    return None


def _value(element: _Element, schema: _Node) -> Any:
    types = {node.get("type") for node in (schema, *schema.get("anyOf", ()))}
    text = element.text.strip()
    if "string" in types or types.isdisjoint(_TYPES):
        return text
    if types.isdisjoint(_PLAIN):
        value = _structured(_elements(text) or [], text, schema)
        return element.attributes | value if "object" in types else value
    try:
        return msgspec.json.decode(text)
    except msgspec.DecodeError:
        return text


def _object(elements: list[_Element], text: str, schema: _Node) -> dict[str, Any]:
    properties: dict[str, _Node] = schema.get("properties", {})
    members: dict[str, Any] = {}
    for element in elements:
        plural = f"{element.name}s"
        if element.name not in properties and plural in properties:
            items = _structured([element], element.text, properties[plural])
            members[plural] = [*members.get(plural, ()), *(items or ())]
        else:
            members[element.name] = _value(element, properties.get(element.name, {}))
    required: list[str] = schema.get("required", [])
    if text and not elements and required:
        members[required[0]] = text
    return members

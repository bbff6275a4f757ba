"""Parameters of a tool as tags: what its JSON Schema says, and how a tag's text becomes JSON.

- A parameter that takes a string gets the text as it stands; entities are not decoded.
- Any other parameter gets the text as JSON where it is JSON, or what it means as elements (see
  `elements.py`). Where it is neither, it gets it as a string, so that the strict validation of
  arguments tells the model what was expected.
- The one structured parameter that a tool demands may also be called `args`.
- An empty tag is the empty string; of an optional parameter that takes no string it is nothing.
- Of a `VERBATIM` parameter exactly one line end is removed at each end, so that its text may stand
  on lines of its own and keep its indentation. Any other text is trimmed.
"""

from typing import Any, TypeAlias, cast

import msgspec
from msgspec import Raw, Struct
from msgspec.structs import replace

from agent_cli.types.requests import ToolSpec
from agent_cli.wire.json_text import well_formed
from agent_cli.wire.xml_tools.elements import from_elements

VERBATIM = frozenset({"content", "diff", "message", "replace", "result", "search"})
"""Parameters that hold text of files or prose, whose white space counts."""

ALIAS = "args"

_Node: TypeAlias = dict[str, Any]
"""A JSON Schema, or a part of one."""


class _Schema(Struct, frozen=True):
    properties: dict[str, _Node | bool] = {}
    required: tuple[str, ...] = ()


class Parameter(Struct, frozen=True):
    name: str
    required: bool
    description: str
    kinds: frozenset[str]
    """JSON types it takes, `null` left out; empty when the schema does not say."""
    schema: dict[str, Any]
    stands_for: str = ""
    """The parameter that is meant, if this is only another name for it."""

    @property
    def is_text(self) -> bool:
        return not self.kinds or "string" in self.kinds

    @property
    def is_structured(self) -> bool:
        return not self.is_text and not self.kinds.isdisjoint({"array", "object"})


def parameters(spec: ToolSpec) -> tuple[Parameter, ...]:
    """Read the parameters of a tool, in the order of its schema."""
    schema = msgspec.json.decode(spec.schema, type=_Schema)
    root = msgspec.json.decode(spec.schema, type=_Node)
    nodes = {name: {} if node is True else node for name, node in schema.properties.items()}
    return tuple(
        Parameter(
            name=name,
            required=name in schema.required,
            description=str(node.get("description", "")),
            kinds=_kinds(node, root, depth=0) - {"null"},
            schema=node,
        )
        for name, node in nodes.items()
        if isinstance(node, dict)
    )


def with_aliases(known: tuple[Parameter, ...]) -> tuple[Parameter, ...]:
    """Return the parameters, and another name where models use one."""
    structured = [one for one in known if one.required and one.is_structured]
    if len(structured) != 1 or any(one.name == ALIAS for one in known):
        return known
    return (*known, replace(structured[0], name=ALIAS, stands_for=structured[0].name))


def arguments(known: tuple[Parameter, ...], texts: dict[str, str]) -> str:
    """Make the JSON text of a call's arguments from the text of its tags."""
    by_name = {parameter.name: parameter for parameter in known}
    given = ((by_name[name], text) for name, text in texts.items())
    values = {
        parameter.stands_for or parameter.name: _value(parameter, well_formed(text))
        for parameter, text in given
        if text.strip() or parameter.required or parameter.is_text
    }
    return msgspec.json.encode(values).decode()


def _value(parameter: Parameter, text: str) -> str | Raw:
    if parameter.is_text and parameter.name in VERBATIM:
        return _without_outer_line_ends(text)
    text = text.strip()
    if parameter.is_text or not text:
        return text
    if parameter.kinds == frozenset({"boolean"}):
        text = text.lower() if text.lower() in {"true", "false"} else text
    encoded = text.encode()
    try:
        msgspec.json.decode(encoded)
    except (msgspec.DecodeError, RecursionError):
        elements = from_elements(text, parameter.schema)
        return text if elements is None else Raw(elements)
    return Raw(encoded)


def _without_outer_line_ends(text: str) -> str:
    for line_end in ("\r\n", "\n"):
        if text.startswith(line_end):
            text = text.removeprefix(line_end)
            break
    for line_end in ("\r\n", "\n"):
        if text.endswith(line_end):
            return text.removesuffix(line_end)
    return text


_DEEPEST = 8
"""Levels of references and unions that are followed; a schema may refer to itself."""


def _kinds(node: _Node, root: _Node, *, depth: int) -> frozenset[str]:
    if depth > _DEEPEST:
        return frozenset()
    if "type" in node:
        given: str | list[str] = node["type"]
        return frozenset([given] if isinstance(given, str) else given)
    members: list[object] = node.get("enum", [node["const"]] if "const" in node else [])
    if members:
        return frozenset(_json_type(member) for member in members)
    branches: list[_Node] = [*node.get("anyOf", ()), *node.get("oneOf", ())]
    if "$ref" in node:
        branches.append(_referred(str(node["$ref"]), root))
    kinds = (_kinds(branch, root, depth=depth + 1) for branch in branches)
    return frozenset[str]().union(*kinds)


def _json_type(value: object) -> str:
    match value:
        case str():
            return "string"
        case bool():
            return "boolean"
        case int() | float():
            return "number"
        case _:
            return "null"


def _referred(reference: str, root: _Node) -> _Node:
    node = root
    for step in reference.removeprefix("#").strip("/").split("/"):
        below = node.get(step)
        node = cast("_Node", below) if isinstance(below, dict) else {}
    return node

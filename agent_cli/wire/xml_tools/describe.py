"""Specs of tools as the catalogue in the system prompt of a model that calls them in XML."""

from typing import Any, TypeAlias

import msgspec

from agent_cli.types.messages import ToolCall
from agent_cli.types.requests import ToolSpec
from agent_cli.wire.xml_tools.parameters import Parameter, parameters
from agent_cli.wire.xml_tools.render import call

_Node: TypeAlias = dict[str, Any]
_NULL = {"type": "null"}


def describe(specs: tuple[ToolSpec, ...]) -> str:
    """Describe the tools, one section each, in the order given."""
    return "\n\n".join(_section(spec) for spec in specs)


def _section(spec: ToolSpec) -> str:
    known = parameters(spec)
    lines = [f"## {spec.name}", spec.description.strip()]
    if known:
        lines += ["Parameters:", *(_line(parameter) for parameter in known)]
    else:
        lines.append("Parameters: none")
    lines += ["Usage:", f"<{spec.name}>", *(_usage(parameter) for parameter in known)]
    lines.append(f"</{spec.name}>")
    if spec.example:
        lines += ["Example:", call(ToolCall("", spec.name, spec.example))]
    return "\n".join(lines)


def _line(parameter: Parameter) -> str:
    need = "required" if parameter.required else "optional"
    words = [f"- {parameter.name}: ({need})", parameter.description.strip(), *_form(parameter)]
    return " ".join(word for word in words if word)


def _form(parameter: Parameter) -> list[str]:
    """Say what the text inside the tag must be, where it is more than plain text."""
    allowed = _allowed(parameter.schema)
    if allowed:
        return [f"One of: {', '.join(allowed)}."]
    if parameter.is_structured:
        schema = _concise(parameter.schema)
        schema.pop("description", None)
        text = msgspec.json.encode(schema).decode()
        return [f"The text inside the tag is JSON that follows this schema: {text}"]
    if parameter.is_text:
        return []
    return [f"Type: {' or '.join(sorted(parameter.kinds))}."]


def _concise(schema: _Node) -> _Node:
    """Leave out what helps no model: titles, and that an absent value is null."""
    kept = {
        key: value
        for key, value in schema.items()
        if key not in {"title", "properties"} and (key, value) != ("default", None)
    }
    branches = [_concise(branch) for branch in kept.pop("anyOf", ()) if branch != _NULL]
    if len(branches) == 1:
        kept = branches[0] | kept
    elif branches:
        kept["anyOf"] = branches
    if isinstance(kept.get("items"), dict):
        kept["items"] = _concise(kept["items"])
    if "properties" in schema:
        properties: dict[str, _Node | bool] = schema["properties"]
        kept["properties"] = {
            name: _concise(node) if isinstance(node, dict) else node
            for name, node in properties.items()
        }
    return kept


def _allowed(schema: _Node) -> list[str]:
    branches: list[_Node] = [schema, *schema.get("anyOf", ())]
    members = (member for branch in branches for member in branch.get("enum", ()))
    return [
        member if isinstance(member, str) else msgspec.json.encode(member).decode()
        for member in members
        if member is not None
    ]


def _usage(parameter: Parameter) -> str:
    value = "JSON text here" if parameter.is_structured else "value here"
    return f"<{parameter.name}>{value}</{parameter.name}>"

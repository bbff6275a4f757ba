"""Specs of tools as the catalogue in the system prompt of a model that calls them in XML."""

from typing import Any

import msgspec

from agent_cli.types.requests import ToolSpec
from agent_cli.wire.xml_tools.parameters import Parameter, parameters


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
        schema = {key: value for key, value in parameter.schema.items() if key != "description"}
        text = msgspec.json.encode(schema).decode()
        return [f"The text inside the tag is JSON that follows this schema: {text}"]
    if parameter.is_text:
        return []
    return [f"Type: {' or '.join(sorted(parameter.kinds))}."]


def _allowed(schema: dict[str, Any]) -> list[str]:
    branches: list[dict[str, Any]] = [schema, *schema.get("anyOf", ())]
    members = (member for branch in branches for member in branch.get("enum", ()))
    return [
        member if isinstance(member, str) else msgspec.json.encode(member).decode()
        for member in members
        if member is not None
    ]


def _usage(parameter: Parameter) -> str:
    value = "JSON text here" if parameter.is_structured else "value here"
    return f"<{parameter.name}>{value}</{parameter.name}>"

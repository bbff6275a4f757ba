"""The tools there are: every public module of this package that defines `TOOL`."""

import functools
import pkgutil
from importlib import import_module
from typing import Any, cast

import msgspec

from agent_cli import tools
from agent_cli.tools.base import AnyTool
from agent_cli.types.requests import ToolSpec

_NOT_TOOLS = frozenset({"base", "registry"})


@functools.cache
def built_in() -> dict[str, AnyTool]:
    """Return the built-in tools by name, in alphabetical order."""
    names = (module.name for module in pkgutil.iter_modules(tools.__path__))
    return {
        name: import_module(f"agent_cli.tools.{name}").TOOL
        for name in sorted(names)
        if name not in _NOT_TOOLS and not name.startswith("_")
    }


@functools.cache
def spec(tool: AnyTool) -> ToolSpec:
    """Describe a tool to a model: JSON Schema without references."""
    example = "" if tool.example is None else msgspec.json.encode(tool.example).decode()
    if tool.schema is not None:
        return ToolSpec(tool.name, tool.description, tool.schema, example=example)
    (schema,), components = msgspec.json.schema_components([tool.arguments])
    inlined = _inline(components[_reference(schema)], components)
    for key in ("title", "description"):  # the tool's own description says it
        inlined.pop(key, None)
    schema_text = msgspec.Raw(msgspec.json.encode(inlined))
    return ToolSpec(tool.name, tool.description, schema_text, example=example)


def _reference(schema: dict[str, Any]) -> str:
    return str(schema["$ref"]).rsplit("/", 1)[-1]


def _inline(node: dict[str, Any], components: dict[str, dict[str, Any]]) -> dict[str, Any]:
    return cast("dict[str, Any]", _resolve(node, components))


def _resolve(node: Any, components: dict[str, dict[str, Any]]) -> Any:
    """Replace references by what they mean; our arguments are never recursive."""
    if isinstance(node, list):
        return [_resolve(item, components) for item in node]  # pyright: ignore[reportUnknownVariableType] - Any within
    if not isinstance(node, dict):
        return node
    members = cast("dict[str, Any]", node)
    if "$ref" in members:
        return _resolve(components[_reference(members)], components)
    return {key: _resolve(value, components) for key, value in members.items()}

"""What is to be known of a tool, taken from the tool itself; nothing of it is written twice."""

from collections.abc import Iterator
from typing import Any, TypeAlias

import msgspec
from msgspec import Struct

from agent_cli.context.modes import Mode, allows
from agent_cli.tools.base import AnyTool, Reason
from agent_cli.tools.registry import spec

_Node: TypeAlias = dict[str, Any]
_BOUNDS = (
    ("minimum", "at least {}"),
    ("maximum", "at most {}"),
    ("minItems", "at least {} of them"),
    ("maxItems", "at most {} of them"),
    ("minLength", "at least {} characters"),
    ("maxLength", "at most {} characters"),
)
_NULL = "null"


class Parameter(Struct, frozen=True):
    name: str
    """With the names of what it lies in: `files[].path`."""
    type: str
    required: bool
    description: str
    limits: tuple[str, ...]


class Touched(Struct, frozen=True):
    kind: str
    target: str


class Offered(Struct, frozen=True):
    mode: str
    files: str | None
    """The pattern of files that the mode may write, where the tool writes files."""


class Facts(Struct, frozen=True):
    name: str
    kind: str
    description: str
    parameters: tuple[Parameter, ...]
    effects: tuple[Touched, ...]
    limits: tuple[str, ...]
    failures: tuple[Reason, ...]
    modes: tuple[Offered, ...]
    available: bool
    example: msgspec.Raw | None
    """Arguments of a call that could be made in some project."""
    needs: str
    """What must be there for it to be available; empty if it always is."""


def facts(tool: AnyTool, modes: tuple[Mode, ...], *, available: bool) -> Facts:
    described = spec(tool)
    writes = any(effect.kind == "write" for effect in tool.touches)
    offered = (mode for mode in modes if allows(mode, tool.kind))
    return Facts(
        name=tool.name,
        kind=tool.kind,
        description=described.description,
        parameters=tuple(_parameters(msgspec.json.decode(described.schema), "")),
        effects=tuple(Touched(effect.kind, effect.target) for effect in tool.touches),
        limits=tool.limits,
        failures=tool.failures,
        modes=tuple(Offered(mode.slug, mode.files if writes else None) for mode in offered),
        available=available,
        example=msgspec.Raw(described.example.encode()) if described.example else None,
        needs=tool.needs,
    )


def _parameters(node: _Node, within: str) -> Iterator[Parameter]:
    required: list[str] = node.get("required", [])
    properties: dict[str, _Node] = node.get("properties", {})
    for name, inner in properties.items():
        yield Parameter(
            within + name,
            " | ".join(_types(inner)),
            name in required,
            str(inner.get("description", "")),
            tuple(_limits(inner)),
        )
        for list_, one in _objects(inner, ""):
            yield from _parameters(one, f"{within}{name}{list_}.")


def _branches(node: _Node) -> list[_Node]:
    branches: list[_Node] = node.get("anyOf", [node])
    return [branch for branch in branches if branch.get("type") != _NULL]


def _types(node: _Node) -> Iterator[str]:
    for branch in _branches(node):
        if "enum" in branch:
            yield " | ".join(msgspec.json.encode(one).decode() for one in branch["enum"])
        elif branch.get("type") == "array" and "items" in branch:
            inner = " | ".join(_types(branch["items"]))
            yield f"[{inner}]"
        else:
            yield str(branch.get("type", "any"))


def _limits(node: _Node) -> Iterator[str]:
    for branch in _branches(node):
        yield from (words.format(branch[key]) for key, words in _BOUNDS if key in branch)


def _objects(node: _Node, within: str) -> Iterator[tuple[str, _Node]]:
    """Yield the objects that a value may hold, each with the lists that it lies in."""
    for branch in _branches(node):
        if "properties" in branch:
            yield within, branch
        if "items" in branch:
            yield from _objects(branch["items"], f"{within}[]")

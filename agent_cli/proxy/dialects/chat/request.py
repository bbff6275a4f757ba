"""Requests in the Chat Completions dialect."""

from collections.abc import Sequence
from typing import Any

from msgspec import Raw

from agent_cli.proxy.dialects.base import (
    LIST,
    Choice,
    Fields,
    Offer,
    encoded,
    items,
    table,
    value_of,
)
from agent_cli.proxy.dialects.shapes import mapping, mappings, words


def client_names(fields: Fields) -> set[str]:
    """Return the names of the client's tools, those of the old form as well."""
    names: set[str] = set()
    for raw in _tools(fields):
        tool = table(raw)
        kind = words(tool.get("type"))
        names.add(words(mapping(tool.get(kind)).get("name")) or words(tool.get("name")) or kind)
    for function in mappings(value_of(fields, "functions")):
        names.add(str(function.get("name")))
    return names


def choice(fields: Fields) -> tuple[Choice, str]:
    value = value_of(fields, "tool_choice")
    match value:
        case "none":
            return Choice.NONE, ""
        case "required":
            return Choice.ANY, ""
        case {"type": "function", "function": {"name": str(name)}}:
            return Choice.NAMED, name
        case {"type": "allowed_tools"}:
            return Choice.ALLOWED, ""
        case dict():
            return Choice.NAMED, ""
        case _:
            return Choice.AUTO, ""


def with_choice(fields: Fields, choice: Choice, name: str = "") -> Fields:
    value: Any = choice.value
    if choice is Choice.NAMED:
        value = {"type": "function", "function": {"name": name}}
    elif choice is Choice.ANY:
        value = "required"
    return {**fields, "tool_choice": encoded(value)}


def allowing(fields: Fields, names: Sequence[str]) -> Fields:
    value = mapping(value_of(fields, "tool_choice"))
    allowed = mapping(value.get("allowed_tools"))
    more = [{"type": "function", "function": {"name": name}} for name in names]
    allowed = {**allowed, "tools": [*mappings(allowed.get("tools")), *more]}
    if not names:
        allowed["mode"] = "auto"
    return {**fields, "tool_choice": encoded({**value, "allowed_tools": allowed})}


def offering(fields: Fields, tools: Sequence[Offer]) -> Fields:
    """Return the request with more tools, after those of the client."""
    more = [
        encoded(
            {
                "type": "function",
                "function": {
                    "name": tool.name,
                    "description": tool.description,
                    "parameters": tool.schema,
                },
            }
        )
        for tool in tools
    ]
    return {**fields, "tools": encoded([*_tools(fields), *more])}


def history(fields: Fields) -> list[Raw]:
    return LIST.decode(fields["messages"]) if "messages" in fields else []


def with_history(fields: Fields, history: Sequence[Raw]) -> Fields:
    return {**fields, "messages": encoded(list(history))}


def asking(fields: Fields) -> Fields:
    """Ask for the usage, which a stream has only on demand."""
    if value_of(fields, "stream") is not True:
        return fields
    options = {**mapping(value_of(fields, "stream_options")), "include_usage": True}
    return {**fields, "stream_options": encoded(options)}


def _tools(fields: Fields) -> list[Raw]:
    return items(fields.get("tools"))

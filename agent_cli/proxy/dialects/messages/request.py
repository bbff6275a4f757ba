"""Requests in the Messages dialect."""

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
from agent_cli.proxy.dialects.shapes import mapping, words


def client_names(fields: Fields) -> set[str]:
    return {words(table(raw).get("name")) for raw in _tools(fields)}


def choice(fields: Fields) -> tuple[Choice, str]:
    value = mapping(value_of(fields, "tool_choice"))
    match value.get("type"):
        case "none":
            return Choice.NONE, ""
        case "any":
            return Choice.ANY, ""
        case "tool":
            return Choice.NAMED, words(value.get("name"))
        case _:
            return Choice.AUTO, ""


def with_choice(fields: Fields, choice: Choice, name: str = "") -> Fields:
    before = mapping(value_of(fields, "tool_choice"))
    value: dict[str, Any] = {"type": "tool" if choice is Choice.NAMED else choice.value}
    if choice is Choice.NAMED:
        value["name"] = name
    if choice is not Choice.NONE and "disable_parallel_tool_use" in before:
        value["disable_parallel_tool_use"] = before["disable_parallel_tool_use"]
    return {**fields, "tool_choice": encoded(value)}


def allowing(fields: Fields, names: Sequence[str]) -> Fields:
    return fields  # there is no such choice in this dialect


def offering(fields: Fields, tools: Sequence[Offer]) -> Fields:
    """Return the request with more tools, after those of the client and without cache marks."""
    more = [
        encoded({"name": one.name, "description": one.description, "input_schema": one.schema})
        for one in tools
    ]
    return {**fields, "tools": encoded([*_tools(fields), *more])}


def history(fields: Fields) -> list[Raw]:
    return LIST.decode(fields["messages"]) if "messages" in fields else []


def with_history(fields: Fields, history: Sequence[Raw]) -> Fields:
    return {**fields, "messages": encoded(list(history))}


def asking(fields: Fields) -> Fields:
    return fields


def _tools(fields: Fields) -> list[Raw]:
    return items(fields.get("tools"))

"""Requests in the Responses dialect."""

from collections.abc import Sequence
from typing import Any

import msgspec
from msgspec import Raw

from agent_cli.proxy.dialects.base import (
    LIST,
    Choice,
    Fields,
    Offer,
    encoded,
    is_text,
    items,
    table,
    value_of,
)
from agent_cli.proxy.dialects.shapes import mapping, mappings, words


def client_names(fields: Fields) -> set[str]:
    """Return the names of the client's tools; hosted ones go by their type."""
    tools = [table(raw) for raw in _tools(fields)]
    return {words(tool.get("name")) or words(tool.get("type")) for tool in tools}


def choice(fields: Fields) -> tuple[Choice, str]:
    match value_of(fields, "tool_choice"):
        case "none":
            return Choice.NONE, ""
        case "required":
            return Choice.ANY, ""
        case {"type": "function", "name": str(name)}:
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
        value = {"type": "function", "name": name}
    elif choice is Choice.ANY:
        value = "required"
    return {**fields, "tool_choice": encoded(value)}


def allowing(fields: Fields, names: Sequence[str]) -> Fields:
    value = mapping(value_of(fields, "tool_choice"))
    more = [{"type": "function", "name": name} for name in names]
    allowed = {**value, "tools": [*mappings(value.get("tools")), *more]}
    if not names:
        allowed["mode"] = "auto"
    return {**fields, "tool_choice": encoded(allowed)}


def offering(fields: Fields, tools: Sequence[Offer]) -> Fields:
    """Return the request with more tools, after those of the client."""
    more = [
        encoded(
            {
                "type": "function",
                "name": tool.name,
                "description": tool.description,
                "parameters": tool.schema,
                "strict": False,
            }
        )
        for tool in tools
    ]
    return {**fields, "tools": encoded([*_tools(fields), *more])}


def history(fields: Fields) -> list[Raw]:
    """Return the input's items; a text is one of them, and a stored prompt needs none."""
    if "input" not in fields:
        return []
    raw = fields["input"]
    if is_text(raw):
        return [encoded({"role": "user", "content": msgspec.json.decode(raw)})]
    return LIST.decode(raw)


def with_history(fields: Fields, history: Sequence[Raw]) -> Fields:
    if value_of(fields, "store") is False:
        history = [raw for raw in history if not _is_lost(raw)]
    return {**fields, "input": encoded(list(history))}


def _is_lost(raw: Raw) -> bool:
    """Whether it is reasoning that is neither stored nor sealed: nobody has it any more."""
    written = bytes(raw)
    if b'"reasoning"' not in written:
        return False
    item = table(raw)
    return item.get("type") == "reasoning" and not item.get("encrypted_content")


def asking(fields: Fields) -> Fields:
    return fields


def _tools(fields: Fields) -> list[Raw]:
    return items(fields.get("tools"))

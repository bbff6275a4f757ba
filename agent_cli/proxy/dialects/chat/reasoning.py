"""Reasoning in the Chat Completions dialect: members of messages and calls that vendors add."""

from collections.abc import Container, Sequence
from typing import Any

from msgspec import Raw

from agent_cli.proxy.dialects.base import Fields, encoded, table
from agent_cli.proxy.dialects.canonical import digest
from agent_cli.proxy.dialects.shapes import mappings

_OF_MESSAGES = ("reasoning_content", "reasoning", "reasoning_details", "extra_content")
_OF_CALLS = ("extra_content",)


def seals(message: Raw) -> list[str]:
    """Return the fingerprints of what only its maker can read."""
    read = table(message)
    found = _values(read, _OF_MESSAGES)
    for call in mappings(read.get("tool_calls")):
        found += _values(call, _OF_CALLS)
    return found


def _values(holder: dict[str, Any], names: Sequence[str]) -> list[str]:
    return [digest(holder[name]) for name in names if holder.get(name)]


def without(history: Sequence[Raw], foreign: Container[str]) -> list[Raw]:
    """Return the history without the reasoning of others."""
    return [
        encoded(_bare(raw, foreign)) if any(seal in foreign for seal in seals(raw)) else raw
        for raw in history
    ]


def _bare(raw: Raw, foreign: Container[str]) -> dict[str, Any]:
    message = _less(table(raw), _OF_MESSAGES, foreign)
    if calls := mappings(message.get("tool_calls")):
        message["tool_calls"] = [_less(call, _OF_CALLS, foreign) for call in calls]
    return message


def _less(holder: dict[str, Any], names: Sequence[str], foreign: Container[str]) -> dict[str, Any]:
    return {
        name: value
        for name, value in holder.items()
        if name not in names or not value or digest(value) not in foreign
    }


def settled(fields: Fields) -> tuple[Fields, bool]:
    return fields, False

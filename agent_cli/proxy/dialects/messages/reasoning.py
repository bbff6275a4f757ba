"""Thinking in the Messages dialect: signed, and worth nothing to anybody but its maker."""

from collections.abc import Container, Sequence

from msgspec import Raw

from agent_cli.proxy.dialects.base import (
    Fields,
    encoded,
    is_text,
    items,
    members,
    table,
    value_of,
)
from agent_cli.proxy.dialects.canonical import digest
from agent_cli.proxy.dialects.messages.reply import THOUGHTS
from agent_cli.proxy.dialects.shapes import mapping, words


def seals(message: Raw) -> list[str]:
    """Return the fingerprints of what only its maker can read."""
    content = members(message).get("content")
    return [seal for raw in items(content) if (seal := _seal(raw))]


def _seal(raw: Raw) -> str:
    block = table(raw)
    if words(block.get("type")) not in THOUGHTS:
        return ""
    return digest(block.get("signature") or block.get("data") or block.get("thinking"))


def without(history: Sequence[Raw], foreign: Container[str]) -> list[Raw]:
    """Return the history without the thinking of others."""
    made: list[Raw] = []
    for raw in history:
        message = members(raw)
        blocks = items(message.get("content"))
        kept = [block for block in blocks if _seal(block) not in foreign]
        if len(kept) == len(blocks):
            made.append(raw)
        elif kept:
            made.append(encoded({**message, "content": kept}))
    return made


def settled(fields: Fields) -> tuple[Fields, bool]:
    """Return the request as it is legal after thinking was removed, and whether that changed it.

    A turn whose calls were just answered must begin with thinking, or else there may be none.
    """
    if mapping(value_of(fields, "thinking")).get("type") in (None, "disabled"):
        return fields, False
    history = items(fields.get("messages"))
    if len(history) < 2:  # noqa: PLR2004 - a turn, and the results
        return fields, False
    turn = members(history[-2])
    if value_of(turn, "role") != "assistant" or is_text(turn["content"]):
        return fields, False
    kinds = [words(table(block).get("type")) for block in items(turn["content"])]
    if "tool_use" not in kinds or kinds[0] in THOUGHTS:
        return fields, False
    return {**fields, "thinking": encoded({"type": "disabled"})}, True

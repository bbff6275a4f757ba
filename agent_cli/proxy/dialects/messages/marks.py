"""Cache marks: a client has few of them, and each stays where the client has put it."""

from collections.abc import Sequence

from msgspec import Raw

from agent_cli.proxy.dialects.base import Fields, encoded, items, members, value_of

_MARK = "cache_control"
_MARKED = frozenset({"text", "tool_use"})
"""Blocks of a turn that may have a mark."""


def marked(full: Sequence[Raw], replaced: Sequence[Raw]) -> list[Raw]:
    """Return messages with the marks of those whose place they take.

    A mark goes to the same block, or to the last one if the client wrote the turn otherwise.
    """
    made = list(full)
    for raw in replaced:
        if b'"cache_control"' in bytes(raw):
            for block in items(members(raw).get("content")):
                fields = members(block)
                if _MARK in fields:
                    _put(made, fields)
    return made


def _put(messages: list[Raw], block: Fields) -> None:
    found: tuple[int, int] | None = None
    for place, raw in enumerate(messages):
        message = members(raw)
        if value_of(message, "role") != "assistant":
            continue
        for at, other in enumerate(items(message.get("content"))):
            fields = members(other)
            if value_of(fields, "type") not in _MARKED:
                continue
            if _known_by(fields) == _known_by(block):
                _mark(messages, (place, at), block[_MARK])
                return
            found = (place, at)
    if found is not None:
        _mark(messages, found, block[_MARK])


def _known_by(block: Fields) -> tuple[object, ...]:
    return tuple(value_of(block, name) for name in ("type", "id", "text"))


def _mark(messages: list[Raw], found: tuple[int, int], mark: Raw) -> None:
    place, at = found
    message = members(messages[place])
    blocks = items(message["content"])
    blocks[at] = encoded({**members(blocks[at]), _MARK: mark})
    messages[place] = encoded({**message, "content": blocks})

"""Calls of grammar tools in streams, put together as calls of functions are."""

from collections.abc import Mapping
from typing import Any

from agent_cli.proxy.dialects.shapes import words
from agent_cli.wire.openai_chat.calls import FunctionPiece

_MARK = "\x00"
"""Before the name of a grammar tool, while its call is put together."""


def grammar_piece(custom: Mapping[str, Any]) -> FunctionPiece:
    """Return a piece of a grammar tool's call as one of a function's."""
    name = words(custom.get("name"))
    return FunctionPiece(name=_MARK + name if name else "", arguments=words(custom.get("input")))


def as_made(call: dict[str, Any]) -> dict[str, Any]:
    """Return a whole call as the model made it."""
    function = call["function"]
    if not function["name"].startswith(_MARK):
        return call
    custom = {"name": function["name"].removeprefix(_MARK), "input": function["arguments"]}
    kept = {name: value for name, value in call.items() if name != "function"}
    return {**kept, "type": "custom", "custom": custom}

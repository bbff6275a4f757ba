"""Remembers the reasoning that went out with a call, and demands it back with that call.

Both vendors seal reasoning and refuse, or answer worse, when a call returns without it. A validator
that sees one request alone cannot know; the server that answered can.
"""

from collections.abc import Iterator
from typing import Any

from testbed import identity
from testbed.exchange import ANTHROPIC_MESSAGES, OPENAI_RESPONSES, Exchange
from testbed.replies import Say
from testbed.validators.shape import Json, objects, text_of


class Issued:
    """What one server answered so far."""

    def __init__(self) -> None:
        self._seals: dict[tuple[str, str], str] = {}

    def remember(self, exchange: Exchange, say: Say) -> None:
        if say.reasoning is None or exchange.wire not in {ANTHROPIC_MESSAGES, OPENAI_RESPONSES}:
            return
        sealed = exchange.wire == ANTHROPIC_MESSAGES or _asked_for_seal(exchange.body)
        for call in identity.call_ids(exchange, say):
            if call and sealed:
                self._seals.setdefault((exchange.wire, call), identity.seal(exchange))

    def violations(self, wire: str, request: Json) -> list[str]:
        """Say which calls came back without the reasoning that they were issued with."""
        if not self._seals:
            return []
        pairs = _anthropic(request) if wire == ANTHROPIC_MESSAGES else _responses(request)
        return [
            f"Item '{call}' was provided without its required 'reasoning' item, unchanged."
            for call, seals in pairs
            if self._seals.get((wire, call), "") not in {"", *seals}
        ]


def _asked_for_seal(body: dict[str, Any]) -> bool:
    return "reasoning.encrypted_content" in (body.get("include") or [])


def _anthropic(request: Json) -> Iterator[tuple[str, set[str]]]:
    """Each call with the seals of its message."""
    for message in objects(request.get("messages")):
        blocks = objects(message.get("content"))
        seals = {text_of(block, "signature") for block in blocks}
        for block in blocks:
            if block.get("type") == "tool_use":
                yield text_of(block, "id"), seals


def _responses(request: Json) -> Iterator[tuple[str, set[str]]]:
    """Each call with the seals since the last thing that was not the assistant's."""
    seals: set[str] = set()
    for item in objects(request.get("input")):
        kind = item.get("type", "message")
        if kind == "reasoning":
            seals = seals | {text_of(item, "encrypted_content")}
        elif kind == "function_call":
            yield text_of(item, "call_id"), seals
        elif kind == "function_call_output" or item.get("role") != "assistant":
            seals = set()

"""Responses that are not streamed, and what the stream shares with them.

`created_at` is 0: a pure codec has no clock.
"""

from typing import Any

import msgspec
from msgspec import Raw, Struct

from agent_cli.types.errors import WireError
from agent_cli.types.messages import AssistantMessage, StopReason, ToolCall
from agent_cli.types.usage import Usage
from agent_cli.wire import json_text
from agent_cli.wire.errors import reported
from agent_cli.wire.openai_parts import response_number
from agent_cli.wire.openai_responses.items import block_of, read_item, written_item

INCOMPLETE = {StopReason.LENGTH: "max_output_tokens", StopReason.REFUSAL: "content_filter"}


class TokenDetails(Struct):
    cached_tokens: int | None = None
    cache_write_tokens: int | None = None


class TokenUsage(Struct):
    """Token counts on the wire."""

    input_tokens: int | None = None
    output_tokens: int | None = None
    input_tokens_details: TokenDetails | None = None
    cost: float | None = None

    def read(self) -> Usage:
        details = self.input_tokens_details or TokenDetails()
        return Usage(
            input_tokens=self.input_tokens or 0,
            output_tokens=self.output_tokens or 0,
            cache_read_tokens=details.cached_tokens or 0,
            cache_write_tokens=details.cache_write_tokens or 0,
            cost=self.cost,
        )


def _written_usage(usage: Usage) -> dict[str, Any]:
    fields: dict[str, Any] = {
        "input_tokens": usage.input_tokens,
        "input_tokens_details": {
            "cached_tokens": usage.cache_read_tokens,
            "cache_write_tokens": usage.cache_write_tokens,
        },
        "output_tokens": usage.output_tokens,
        "output_tokens_details": {"reasoning_tokens": 0},
        "total_tokens": usage.input_tokens + usage.output_tokens,
    }
    if usage.cost is not None:
        fields["cost"] = usage.cost
    return fields


class IncompleteDetails(Struct):
    reason: str | None = None


class ResponseBody(Struct):
    """A response, whole or inside the event that ends a stream."""

    status: str | None = None
    output: list[Raw] | None = None
    error: object = None
    incomplete_details: IncompleteDetails | None = None
    usage: TokenUsage | None = None

    def stop_reason(self, *, calls: bool, refused: bool) -> StopReason:
        if self.status == "incomplete" or self.incomplete_details:
            details = self.incomplete_details or IncompleteDetails()
            # Whatever else stopped it: what the model was saying is not whole.
            is_refusal = details.reason == INCOMPLETE[StopReason.REFUSAL]
            return StopReason.REFUSAL if is_refusal else StopReason.LENGTH
        if calls:
            return StopReason.CALLS
        return StopReason.REFUSAL if refused else StopReason.END


BODY = msgspec.json.Decoder(ResponseBody)


def encode_response(message: AssistantMessage, model: str) -> bytes:
    return msgspec.json.encode(written_response(message, model))


def written_response(message: AssistantMessage, model: str) -> dict[str, Any]:
    number = response_number(message)
    reason = INCOMPLETE.get(message.stop_reason)
    return {
        **response_head(number, model),
        "status": "incomplete" if reason else "completed",
        "incomplete_details": {"reason": reason} if reason else None,
        "output": [
            written_item(block, f"{number}_{place}") for place, block in enumerate(message.blocks)
        ],
        "usage": _written_usage(message.usage),
    }


def response_head(number: str, model: str) -> dict[str, Any]:
    """Return a response that has not said anything yet."""
    return {
        "id": f"resp_{number}",
        "object": "response",
        "created_at": 0,
        "status": "in_progress",
        "error": None,
        "incomplete_details": None,
        "instructions": None,
        "metadata": {},
        "model": model,
        "output": [],
        "parallel_tool_calls": True,
        "store": False,
        "temperature": None,
        "tool_choice": "auto",
        "tools": [],
        "top_p": None,
        "usage": None,
    }


def decode_response(body: bytes) -> AssistantMessage:
    """Read a response. Raises ProviderError for a reported error, WireError for what is none."""
    read = json_text.decode(body, BODY)
    if read.error or read.status == "failed":
        raise reported(read.error)
    if read.output is None:
        raise WireError("the response has no output")
    output = [(read_item(raw), raw) for raw in read.output]
    blocks = [block for item, raw in output if (block := block_of(item, raw)) is not None]
    calls = [place for place, block in enumerate(blocks) if isinstance(block, ToolCall)]
    refused = any(item.refused for item, _ in output)
    reason = read.stop_reason(calls=bool(calls), refused=refused)
    if calls and reason is StopReason.LENGTH:
        blocks[calls[-1]] = msgspec.structs.replace(blocks[calls[-1]], complete=False)
    usage = read.usage.read() if read.usage else Usage(estimated=True)
    return AssistantMessage(tuple(blocks), reason, usage)

"""Chat Completions responses that are not streamed, and what the stream shares with them.

`created` is 0: a pure codec has no clock.
"""

from typing import Any

import msgspec
from msgspec import Struct

from agent_cli.types.errors import Fault, ProviderError, WireError
from agent_cli.types.messages import (
    AssistantMessage,
    Block,
    Reasoning,
    StopReason,
    Text,
    ToolCall,
)
from agent_cli.types.usage import Usage
from agent_cli.wire import json_text
from agent_cli.wire.errors import reported
from agent_cli.wire.openai_chat.request import WrittenCall, tool_call
from agent_cli.wire.openai_parts import content_of, response_number

STOP_REASONS = {
    "length": StopReason.LENGTH,
    "max_tokens": StopReason.LENGTH,
    "model_length": StopReason.LENGTH,
    "content_filter": StopReason.REFUSAL,
}
"""By finish reason; after all others the message itself says whether calls are to be run."""
FAILURES = {"error": Fault.SERVER, "insufficient_system_resource": Fault.OVERLOADED}
"""Finish reasons of gateways that mean that the response is worth nothing."""
FINISH_REASONS = {
    StopReason.END: "stop",
    StopReason.CALLS: "tool_calls",
    StopReason.LENGTH: "length",
    StopReason.REFUSAL: "content_filter",
}


class TokenDetails(Struct):
    cached_tokens: int | None = None
    cache_write_tokens: int | None = None


class TokenUsage(Struct):
    """Token counts on the wire."""

    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    prompt_tokens_details: TokenDetails | None = None
    prompt_cache_hit_tokens: int | None = None
    cost: float | None = None

    def read(self) -> Usage | None:
        """Return our value, None if nothing was counted."""
        if self.prompt_tokens is None and self.completion_tokens is None:
            return None
        details = self.prompt_tokens_details or TokenDetails()
        return Usage(
            input_tokens=self.prompt_tokens or 0,
            output_tokens=self.completion_tokens or 0,
            cache_read_tokens=details.cached_tokens or self.prompt_cache_hit_tokens or 0,
            cache_write_tokens=details.cache_write_tokens or 0,
            cost=self.cost,
        )


def written_usage(usage: Usage) -> dict[str, Any]:
    fields: dict[str, Any] = {
        "prompt_tokens": usage.input_tokens,
        "completion_tokens": usage.output_tokens,
        "total_tokens": usage.input_tokens + usage.output_tokens,
        "prompt_tokens_details": {
            "cached_tokens": usage.cache_read_tokens,
            "cache_write_tokens": usage.cache_write_tokens,
        },
    }
    if usage.cost is not None:
        fields["cost"] = usage.cost
    return fields


def stop_reason(finish_reason: str | None, *, calls: bool, refused: bool) -> StopReason:
    """Return why the model stopped; raises ProviderError where the word means a failure."""
    if finish_reason in FAILURES:
        raise ProviderError(
            f"the provider ended the response with {finish_reason!r}", FAILURES[finish_reason]
        )
    if finish_reason in STOP_REASONS:
        return STOP_REASONS[finish_reason]
    if calls:
        return StopReason.CALLS
    return StopReason.REFUSAL if refused else StopReason.END


def encode_response(message: AssistantMessage, model: str) -> bytes:
    said: dict[str, Any] = {"role": "assistant", "content": message.text or None, "refusal": None}
    thoughts = [block.text for block in message.blocks if isinstance(block, Reasoning)]
    if thoughts:
        said["reasoning_content"] = "".join(thoughts)
    if message.calls:
        said["tool_calls"] = [tool_call(call) for call in message.calls]
    choice = {
        "index": 0,
        "message": said,
        "logprobs": None,
        "finish_reason": FINISH_REASONS[message.stop_reason],
    }
    return msgspec.json.encode(
        {
            "id": f"chatcmpl-{response_number(message)}",
            "object": "chat.completion",
            "created": 0,
            "model": model,
            "choices": [choice],
            "usage": written_usage(message.usage),
        }
    )


class _Said(Struct):
    content: object = None
    refusal: str | None = None
    reasoning_content: str | None = None
    reasoning: object = None
    tool_calls: list[WrittenCall] | None = None

    def blocks(self) -> list[Block]:
        thought = self.reasoning_content or self.reasoning
        blocks: list[Block] = []
        if thought and isinstance(thought, str):
            blocks.append(Reasoning(thought))
        if text := content_of(self.content)[0] or self.refusal:
            blocks.append(Text(text))
        return blocks + [call.read() for call in self.tool_calls or ()]


class _Choice(Struct):
    message: _Said
    finish_reason: str | None = None


class _Body(Struct):
    choices: list[_Choice] | None = None
    usage: TokenUsage | None = None
    error: object = None


_BODY = msgspec.json.Decoder(_Body)


def decode_response(body: bytes) -> AssistantMessage:
    """Read a response. Raises ProviderError for a reported error, WireError for what is none."""
    read = json_text.decode(body, _BODY)
    if read.error:
        raise reported(read.error)
    if not read.choices:
        raise WireError("the response has no choices")
    choice = read.choices[0]
    blocks = choice.message.blocks()
    reason = stop_reason(
        choice.finish_reason,
        calls=bool(choice.message.tool_calls),
        refused=bool(choice.message.refusal),
    )
    if reason is StopReason.LENGTH and isinstance(last := blocks[-1] if blocks else None, ToolCall):
        blocks[-1] = msgspec.structs.replace(last, complete=False)
    usage = read.usage.read() if read.usage else None
    return AssistantMessage(tuple(blocks), reason, usage or Usage(estimated=True))

"""Content blocks, stop reasons and usage, as requests, responses and streams share them."""

from collections.abc import Iterable, Sequence
from typing import Any

import msgspec
from msgspec import Raw, Struct

from agent_cli.types.events import (
    Delta,
    ReasoningDelta,
    TextDelta,
    ToolCallBegin,
    ToolCallDelta,
    ToolCallEnd,
)
from agent_cli.types.messages import Block, Reasoning, StopReason, Text, ToolCall
from agent_cli.types.usage import Usage

STOP_REASONS = {
    "end_turn": StopReason.END,
    "stop_sequence": StopReason.END,
    "pause_turn": StopReason.END,
    "tool_use": StopReason.CALLS,
    "max_tokens": StopReason.LENGTH,
    "model_context_window_exceeded": StopReason.LENGTH,
    "refusal": StopReason.REFUSAL,
}
STOP_WORDS = {
    StopReason.END: "end_turn",
    StopReason.CALLS: "tool_use",
    StopReason.LENGTH: "max_tokens",
    StopReason.REFUSAL: "refusal",
}

ANY_OBJECT = msgspec.json.Decoder(dict[str, Any])


class WireSource(Struct):
    type: str = ""
    media_type: str = ""
    data: str = ""


class WireBlock(Struct):
    """Any content block: the fields that we know of any type, `type` says which apply."""

    type: str
    text: str = ""
    thinking: str = ""
    signature: str | None = None
    id: str = ""
    name: str = ""
    input: Raw = Raw()
    tool_use_id: str = ""
    content: Raw = Raw()
    is_error: bool | None = None
    source: WireSource | None = None

    @property
    def is_opaque(self) -> bool:
        """Whether the block must be sent back as it is: signed or redacted thinking."""
        if self.type == "thinking":
            return bool(self.signature)
        return self.type == "redacted_thinking"


class WireUsage(Struct):
    """Tokens; null and absent mean that the server does not say here."""

    input_tokens: int | None = None
    output_tokens: int | None = None
    cache_creation_input_tokens: int | None = None
    cache_read_input_tokens: int | None = None


class WireFailure(Struct):
    """An error as a body or a stream reports it."""

    type: str = ""
    message: str = ""


BLOCK = msgspec.json.Decoder(WireBlock)


def encode_block(block: Block) -> bytes:
    """Encode for an assistant's message; reasoning without a signature keeps its text."""
    match block:
        case Text(text=text):
            return msgspec.json.encode({"type": "text", "text": text})
        case ToolCall():
            return encode_call(block)
        case Reasoning():
            if is_own(block.opaque):
                return block.opaque.encode()
            fields = {"type": "thinking", "thinking": block.text, "signature": ""}
            return msgspec.json.encode(fields)


def encode_call(call: ToolCall) -> bytes:
    return msgspec.json.encode(
        {"type": "tool_use", "id": call.id, "name": call.name, "input": call_input(call)}
    )


def call_input(call: ToolCall) -> Raw:
    """Return the arguments as the model wrote them, or `{}` where they are not a JSON object."""
    arguments = call.arguments.encode()
    try:
        ANY_OBJECT.decode(arguments)
    except (msgspec.DecodeError, RecursionError):
        return Raw(b"{}")
    return Raw(arguments)


def is_own(opaque: str) -> bool:
    """Whether an opaque value is a block of this format: a session may change its provider."""
    try:
        return BLOCK.decode(opaque).is_opaque
    except msgspec.DecodeError:
        return False


def block_deltas(raw: bytes, index: int) -> tuple[Delta, ...]:
    """Return a whole block of a response as deltas; unknown blocks are none."""
    block = BLOCK.decode(raw)
    match block.type:
        case "text":
            return (TextDelta(block.text),)
        case "thinking" | "redacted_thinking":
            opaque = raw.decode() if block.is_opaque else ""
            return (ReasoningDelta(block.thinking, opaque),)
        case "tool_use":
            arguments = bytes(block.input).decode()
            return (
                ToolCallBegin(index, block.id, block.name),
                ToolCallDelta(index, arguments),
                ToolCallEnd(index),
            )
        case _:
            return ()


def usage_of(reports: Sequence[WireUsage]) -> Usage:
    """Merge the reports of one response, which are cumulative; our input counts cached tokens."""
    written = _most(report.cache_creation_input_tokens for report in reports)
    read = _most(report.cache_read_input_tokens for report in reports)
    return Usage(
        input_tokens=_most(report.input_tokens for report in reports) + written + read,
        output_tokens=_most(report.output_tokens for report in reports),
        cache_read_tokens=read,
        cache_write_tokens=written,
    )


def _most(counts: Iterable[int | None]) -> int:
    return max((count or 0 for count in counts), default=0)


def wire_usage(usage: Usage, output_tokens: int) -> WireUsage:
    cached = usage.cache_read_tokens + usage.cache_write_tokens
    return WireUsage(
        input_tokens=max(0, usage.input_tokens - cached),
        output_tokens=output_tokens,
        cache_creation_input_tokens=usage.cache_write_tokens,
        cache_read_input_tokens=usage.cache_read_tokens,
    )

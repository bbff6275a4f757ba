"""Whole responses in the Messages format; they mean what the same response means as a stream."""

from hashlib import sha256

import msgspec
from msgspec import Raw, Struct

from agent_cli.types.errors import WireError
from agent_cli.types.events import MessageEnd
from agent_cli.types.messages import AssistantMessage, StopReason
from agent_cli.wire.accumulate import Accumulator
from agent_cli.wire.anthropic_messages._blocks import (
    STOP_REASONS,
    STOP_WORDS,
    WireFailure,
    WireUsage,
    block_deltas,
    encode_block,
    usage_of,
    wire_usage,
)
from agent_cli.wire.errors import named_error
from agent_cli.wire.json_text import decode


class _WireResponse(Struct):
    content: list[Raw] = []
    stop_reason: str | None = None
    usage: WireUsage | None = None
    error: WireFailure | None = None


RESPONSE = msgspec.json.Decoder(_WireResponse)


def encode_response(message: AssistantMessage, model: str) -> bytes:
    return msgspec.json.encode(
        {
            **envelope(message, model),
            "content": [Raw(encode_block(block)) for block in message.blocks],
            "stop_reason": STOP_WORDS[message.stop_reason],
            "usage": wire_usage(message.usage, message.usage.output_tokens),
        }
    )


def envelope(message: AssistantMessage, model: str) -> dict[str, object]:
    """Return what a response has before anything is said; its id is a digest of the message."""
    digest = sha256(msgspec.json.encode(message)).hexdigest()
    return {
        "id": f"msg_{digest[:24]}",
        "type": "message",
        "role": "assistant",
        "model": model,
        "content": [],
        "stop_reason": None,
        "stop_sequence": None,
    }


def decode_response(body: bytes) -> AssistantMessage:
    """Decode. Raises WireError for other bytes, ProviderError if the body reports an error."""
    response = decode(body, RESPONSE)
    if response.error is not None:
        raise named_error((response.error.type,), response.error.message)
    message = Accumulator(())
    try:
        for index, raw in enumerate(response.content):
            for delta in block_deltas(bytes(raw), index):
                message.add(delta)
    except msgspec.DecodeError as error:
        raise WireError(f"not a Messages response: {error}") from error
    stop_reason = STOP_REASONS.get(response.stop_reason or "", StopReason.END)
    message.add(MessageEnd(stop_reason, usage_of([response.usage] if response.usage else [])))
    return message.message()

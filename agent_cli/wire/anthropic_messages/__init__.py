"""The Messages format of Anthropic, and of everything that is compatible with it."""

from agent_cli.wire.anthropic_messages.request import encode_request
from agent_cli.wire.anthropic_messages.request_reading import decode_request
from agent_cli.wire.anthropic_messages.response import decode_response, encode_response
from agent_cli.wire.anthropic_messages.stream import decoder, encode_stream

NAME: str = "anthropic_messages"
PATH: str = "/v1/messages"

__all__ = [
    "NAME",
    "PATH",
    "decode_request",
    "decode_response",
    "decoder",
    "encode_request",
    "encode_response",
    "encode_stream",
]

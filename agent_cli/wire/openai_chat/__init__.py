"""The Chat Completions format, as OpenAI and many compatible servers speak it."""

from agent_cli.wire.openai_chat.request import decode_request, encode_request
from agent_cli.wire.openai_chat.response import decode_response, encode_response
from agent_cli.wire.openai_chat.stream import decoder, encode_stream

NAME: str = "openai_chat"
PATH: str = "/chat/completions"

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

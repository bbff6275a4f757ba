"""The Responses format, used without state on the server: every request holds the whole history."""

from agent_cli.wire.openai_responses.events import encode_stream
from agent_cli.wire.openai_responses.request import decode_request, encode_request
from agent_cli.wire.openai_responses.response import decode_response, encode_response
from agent_cli.wire.openai_responses.stream import decoder

NAME: str = "openai_responses"
PATH: str = "/responses"

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

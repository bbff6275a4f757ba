"""What a wire format can do. A codec is a module that has these functions."""

from collections.abc import Iterator
from typing import Protocol

from agent_cli.types.events import Delta
from agent_cli.types.messages import AssistantMessage
from agent_cli.types.requests import ModelRequest
from agent_cli.wire.frames import Fragments, Frame


class StreamDecoder(Protocol):
    """Turns the frames of one response stream into deltas; one per request, never shared."""

    def decode(self, frame: Frame) -> tuple[Delta, ...]:
        """Return the frame's deltas.

        Raises ProviderError for an error inside the stream, and for a frame that is not JSON
        (fault CUT: with nothing executed it is safe to ask again).
        """
        ...

    @property
    def finished(self) -> bool:
        """Whether the terminal event was seen and `MessageEnd` returned."""
        ...

    def eof(self) -> tuple[Delta, ...]:
        """Return what a clean end of the transport completes; called once, if not `finished`.

        Chat servers may stop after the finish reason and send neither usage nor `[DONE]`: then
        this is the `MessageEnd`, with estimated usage. `()` means that the stream was cut, and is
        all that Anthropic's and the Responses stream return: they have a terminal event.
        """
        ...


class Codec(Protocol):
    NAME: str
    """The wire format's name: `anthropic_messages`, `openai_chat`, `openai_responses`."""
    PATH: str
    """Appended to the base URL: `/v1/messages`, `/chat/completions`, `/responses`."""

    def encode_request(self, request: ModelRequest, fragments: Fragments) -> bytes:
        """Encode; each message is encoded once and its bytes reused from `fragments`."""
        ...

    def decode_request(self, body: bytes) -> ModelRequest: ...

    def encode_response(self, message: AssistantMessage, model: str) -> bytes: ...

    def decode_response(self, body: bytes) -> AssistantMessage: ...

    def encode_stream(self, message: AssistantMessage, model: str) -> Iterator[Frame]: ...

    def decoder(self) -> StreamDecoder: ...

"""Frames of a stream and fragments of a request, with their raw bytes kept."""

from collections.abc import Callable

from msgspec import Struct

from agent_cli.types.messages import Message


class Frame(Struct, frozen=True):
    """One server-sent event."""

    data: bytes
    """The payload as it was on the wire, lines joined by LF."""
    event: str = ""
    """The event's name, empty when the stream did not give one."""


class Fragments:
    """Encoded messages, so that a request is a join of bytes and its prefix never changes.

    Belongs to one session and one codec. Messages are values that live as long as the session,
    so identity is the key; the message is kept alongside to keep its identity taken.
    """

    def __init__(self) -> None:
        self._encoded: dict[int, tuple[Message, bytes]] = {}

    def of(self, message: Message, encode: Callable[[Message], bytes]) -> bytes:
        kept = self._encoded.get(id(message))
        if kept is not None:
            return kept[1]
        encoded = encode(message)
        self._encoded[id(message)] = (message, encoded)
        return encoded

"""Frames of a stream and fragments of a request, with their raw bytes kept."""

from msgspec import Struct

from agent_cli.wire.growing import Growing


class Frame(Struct, frozen=True):
    """One server-sent event."""

    data: bytes
    """The payload as it was on the wire, lines joined by LF."""
    event: str = ""
    """The event's name, empty when the stream did not give one."""


class Fragments(Growing):
    """What a codec has made of messages, so that a request is a join of bytes.

    Belongs to one session and one codec. Messages are values, so a prefix stays what it was.
    """

"""Events of streams, as every dialect reads and writes them."""

from typing import Any

import msgspec
from msgspec import Raw

from agent_cli.proxy.dialects.base import FIELDS, StreamCutError
from agent_cli.proxy.dialects.shapes import mapping
from agent_cli.wire.frames import Frame
from agent_cli.wire.sse import write_event


class BrokenStreamError(StreamCutError):
    """The upstream's stream has an event of which nothing can be made."""

    def __init__(self, why: object) -> None:
        super().__init__(f"the upstream's stream broke: {why}")


def event_in(frame: Frame) -> dict[str, Any]:
    """Return the event; raises BrokenStreamError for what is none."""
    try:
        event: Any = msgspec.json.decode(frame.data)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise BrokenStreamError(error) from error
    if not isinstance(event, dict):
        raise BrokenStreamError("an event is no object")
    return mapping(event)  # pyright: ignore[reportUnknownArgumentType] - JSON


def object_in(frame: Frame, name: str) -> Raw:
    """Return a member of an event that was read before; raises BrokenStreamError without it."""
    raw = FIELDS.decode(frame.data).get(name, Raw())
    if bytes(raw)[:1] != b"{":
        raise BrokenStreamError(f"an event's {name} is no object")
    return raw


def place_in(event: dict[str, Any], name: str) -> int:
    """Return where something belongs, which is the first place unless it is told."""
    place = event.get(name) or 0
    if not isinstance(place, int):
        raise BrokenStreamError(f"an event's {name} is no number")
    return place


def written(event: dict[str, Any], kind: str = "") -> bytes:
    return write_event(Frame(msgspec.json.encode(event), kind))

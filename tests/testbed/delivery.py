"""Events to bytes, with the faults that the script asks for."""

from collections.abc import Iterable, Iterator

from testbed.replies import Delivery
from testbed.wires.event import Event, Wire

LARGE = 64 * 1024


def damaged(events: Iterable[Event], delivery: Delivery, wire: Wire) -> Iterator[Event]:
    """The events with those doubled, broken, replaced and left out that should be."""
    for place, event in enumerate(_ended(events, delivery)):
        if place == delivery.error_at:
            yield wire.failure_event()
            return
        if place == delivery.broken:
            yield event._replace(data=event.data[: len(event.data) // 2])
            continue
        yield event
        if place == delivery.repeat:
            yield event
        if delivery.unknown and place % delivery.unknown == 0:
            yield wire.unknown_event()


def _ended(events: Iterable[Event], delivery: Delivery) -> Iterable[Event]:
    if delivery.unfinished:
        events = (event for event in events if not event.terminal)
    if delivery.drop_last:
        every = list(events)
        return every[: max(len(every) - delivery.drop_last, 0)]
    return events


def framed(events: Iterable[Event], delivery: Delivery, wire: Wire) -> Iterator[bytes]:
    """Each event as it stands on the wire, pings and garbage included."""
    for place, (name, data, _terminal) in enumerate(events):
        frame = (
            b"event: %s\ndata: %s\n\n" % (name.encode(), data) if name else b"data: %s\n\n" % data
        )
        if delivery.pings and place % delivery.pings == 0:
            frame += wire.ping()
        yield frame.replace(b"\n", b"\r\n") if delivery.crlf else frame
    if delivery.trailing:
        yield delivery.trailing.encode()


def writes(body: Iterable[bytes], delivery: Delivery) -> Iterator[bytes]:
    """The body in the sizes in which it is written."""
    if delivery.chunk:
        yield from _even(body, delivery.chunk)
    elif delivery.between:
        yield from body
    else:
        yield from _joined(body)


def _joined(body: Iterable[bytes]) -> Iterator[bytes]:
    ready = bytearray()
    for part in body:
        ready += part
        if len(ready) >= LARGE:
            yield bytes(ready)
            ready.clear()
    if ready:
        yield bytes(ready)


def _even(body: Iterable[bytes], size: int) -> Iterator[bytes]:
    ready = bytearray()
    for part in body:
        ready += part
        whole = len(ready) - len(ready) % size
        for start in range(0, whole, size):
            yield bytes(ready[start : start + size])
        del ready[:whole]
    if ready:
        yield bytes(ready)


def limited(parts: Iterable[bytes], limit: int) -> Iterator[bytes]:
    """The parts up to so many bytes in all."""
    for part in parts:
        if limit <= 0:
            return
        yield part[:limit]
        limit -= len(part)

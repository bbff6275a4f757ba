"""Events of a stream and the quick way to write many of one shape."""

import json
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple, Protocol

import msgspec
from testbed.exchange import Exchange
from testbed.replies import Say, Status


class Event(NamedTuple):
    """One server-sent event."""

    name: str
    """Empty when the wire does not name its events."""
    data: bytes
    terminal: bool = False
    """Whether it belongs to the end without which the answer is not complete."""


class Wire(Protocol):
    """What a module of this package can do."""

    def stream(self, say: Say, exchange: Exchange) -> Iterator[Event]: ...

    def whole(self, say: Say, exchange: Exchange) -> dict[str, Any]: ...

    def failure(self, status: Status) -> dict[str, Any]: ...

    def failure_event(self) -> Event: ...

    def unknown_event(self) -> Event: ...

    def ping(self) -> bytes: ...


def encode(value: object) -> bytes:
    try:
        return msgspec.json.encode(value)
    except UnicodeEncodeError:  # a lone surrogate can only be sent escaped
        return json.dumps(value, separators=(",", ":")).encode()


def pieces(text: str, size: int) -> Iterator[str]:
    """The text in pieces of so many characters; empty text has none."""
    step = size or max(len(text), 1)
    for start in range(0, len(text), step):
        yield text[start : start + step]


HOLE = "\x00hole"


def filler(value: object) -> Callable[[str], bytes]:
    """Encode `value` once; the result puts a string into its `HOLE`."""
    head, tail = encode(value).split(encode(HOLE))

    def fill(text: str) -> bytes:
        return head + encode(text) + tail

    return fill


def without_none(value: dict[str, Any]) -> dict[str, Any]:
    return {key: item for key, item in value.items() if item is not None}

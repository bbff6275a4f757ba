"""What a scripted model answers, independent of the wire that asks, and how the answer goes wrong.

Every value can be written as JSON (`{"type": "say", "text": "..."}`), so a script can be a file.
"""

import json
from collections.abc import Sequence
from typing import Any, TypeAlias

from msgspec import Struct

OMIT = "\x00omit"
"""As a call's id: the field is left out altogether."""


class Call(Struct, frozen=True):
    """A call of a tool; `args` as text goes out as it is, broken JSON and all."""

    name: str
    args: dict[str, Any] | str = {}
    id: str | None = None
    """None makes one in the vendor's style; any text, also empty or foreign, is sent unchanged."""

    @property
    def arguments(self) -> str:
        if isinstance(self.args, str):
            return self.args
        return json.dumps(self.args, ensure_ascii=False)

    def cut(self, length: int) -> "Call":
        """The same call with only the first characters of its arguments."""
        return Call(self.name, self.arguments[:length], self.id)


class Usage(Struct, frozen=True):
    """Tokens that the answer claims; `input` counts cached ones too."""

    input: int = 100
    output: int = 20
    cache_read: int = 0
    cache_write: int = 0
    reasoning: int = 0


class Delivery(Struct, frozen=True, kw_only=True):
    """How an answer travels. Places count from 0; None means that it does not happen."""

    chunk: int = 0
    """Bytes a write; 0 joins what is ready into large writes."""
    piece: int = 20
    """Characters of text or arguments in one event; 0 puts all in one."""
    before: float = 0.0
    """Seconds before the headers."""
    between: float = 0.0
    """Seconds before each write after the first; with `chunk=0` a write is an event."""
    crlf: bool = False
    """Lines end in CR LF."""
    pings: int = 0
    """A ping (Anthropic) or comment (OpenAI) after every so many events."""
    unknown: int = 0
    """An event of a type nobody knows after every so many events."""
    repeat: int | None = None
    """This event is sent twice."""
    broken: int | None = None
    """This event's data is cut in half; the stream goes on."""
    error_at: int | None = None
    """Instead of this event comes the vendor's overloaded error, and the stream ends."""
    cut_at: int | None = None
    """After so many bytes of the body the connection is closed."""
    reset: bool = False
    """The cut is a TCP reset."""
    stall_at: int | None = None
    """After so many bytes of the body nothing comes until the client goes away."""
    unfinished: bool = False
    """The stream ends cleanly, but without its terminal event."""
    drop_last: int = 0
    """So many events are missing at the end."""
    trailing: str = ""
    """Sent after everything else."""


class Say(Struct, frozen=True, tag="say"):
    """A message of the model."""

    text: str = ""
    calls: Sequence[Call] = ()
    reasoning: str | None = None
    stop: str | None = None
    """`end`, `calls`, `length`, `refusal`, or a vendor's own word; None follows from the calls."""
    usage: Usage | None = Usage()
    """None: the vendor forgot to say."""
    delivery: Delivery = Delivery()

    @property
    def stops(self) -> str:
        return self.stop or ("calls" if self.calls else "end")


class Status(Struct, frozen=True, tag="status"):
    """An error answer in the vendor's shape, or the HTML page of a gateway in front of it."""

    code: int
    message: str = ""
    retry_after: float | None = None
    kind: str = ""
    """The vendor's word for the error; empty follows from the code."""
    html: bool = False
    headers: dict[str, str] = {}


class Close(Struct, frozen=True, tag="close"):
    """The connection is closed before any header."""

    reset: bool = False


class Hang(Struct, frozen=True, tag="hang"):
    """Not even a header, until the client goes away."""


class Raw(Struct, frozen=True, tag="raw"):
    """These very bytes as the body, whatever was asked."""

    body: str
    content_type: str = "text/event-stream"
    code: int = 200
    delivery: Delivery = Delivery()


Reply: TypeAlias = Say | Status | Close | Hang | Raw

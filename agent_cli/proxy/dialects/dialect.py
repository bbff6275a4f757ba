"""What a dialect can do. One is a module that has the functions of `Dialect`."""

from collections.abc import Container, Iterator, Sequence
from typing import Any, Protocol

from msgspec import Raw

from agent_cli.proxy.dialects.base import Choice, Fields, Offer
from agent_cli.proxy.dialects.turns import Call, Round, Stretch, Turn, View
from agent_cli.proxy.envelopes import Envelope, ProxyError
from agent_cli.wire.frames import Frame


class Stream(Protocol):
    """All rounds of one streamed answer, as one stream. Calls are held back until `end`."""

    substantial: bool
    """Whether the client was told more of this round than that there will be an answer."""
    owned: Container[str]
    """The names of managed tools; all others are the client's."""

    @property
    def usage(self) -> dict[str, Any]:
        """What the present round was said to cost so far."""
        ...

    def begin_round(self) -> None: ...

    def feed(self, raw: bytes, frame: Frame | None) -> bytes:
        """Return what the client gets at once; raises StreamCutError for a reported error."""
        ...

    def turn(self) -> Turn:
        """Return the round's reply; raises StreamCutError if its end was not seen."""
        ...

    def close_round(self, round_: Round) -> bytes:
        """Return what is still to be shown of a round, its calls included if they are released."""
        ...

    def end(self, rounds: Sequence[Round], usage: dict[str, Any]) -> bytes:
        """Return the rest of the stream."""
        ...

    def heartbeat(self, *, plain: bool) -> bytes:
        """Return what keeps a client waiting; with `plain`, where there is a choice, no comment."""
        ...

    def error(self, error: ProxyError) -> bytes: ...


class Dialect(Protocol):
    NAME: str
    PATH: str

    def client_names(self, fields: Fields) -> set[str]: ...

    def choice(self, fields: Fields) -> tuple[Choice, str]: ...

    def with_choice(self, fields: Fields, choice: Choice, name: str = "") -> Fields: ...

    def allowing(self, fields: Fields, names: Sequence[str]) -> Fields:
        """Add names to those that the client allows; with none, let nothing force a call."""
        ...

    def offering(self, fields: Fields, tools: Sequence[Offer]) -> Fields: ...

    def history(self, fields: Fields) -> list[Raw]: ...

    def with_history(self, fields: Fields, history: Sequence[Raw]) -> Fields: ...

    def said(self, turn: Turn, keep: Sequence[int], *, only_calls: bool = False) -> list[Raw]:
        """Return the turn as messages of a history, with these of its calls."""
        ...

    def answered(
        self, results: Sequence[tuple[Call, Envelope]], instruction: str = ""
    ) -> list[Raw]: ...

    def joined(self, history: Sequence[Raw], more: Sequence[Raw]) -> list[Raw]: ...

    def elided(self, messages: Sequence[Raw], notice: str) -> list[Raw]:
        """Return hidden messages with a short word in place of each long result."""
        ...

    def marked(self, full: Sequence[Raw], replaced: Sequence[Raw]) -> list[Raw]:
        """Return hidden and visible messages with the client's cache marks of those replaced."""
        ...

    def canonical(self, message: Raw) -> object:
        """Return what of a message of the history counts, however the client wrote it."""
        ...

    def stretches(self, history: Sequence[Raw]) -> list[Stretch]: ...

    def merged_results(
        self, after: Sequence[Raw], results: Sequence[tuple[Call, Envelope]], order: Sequence[str]
    ) -> list[Raw]:
        """Put results among those that the client sends after the turn, in the calls' order."""
        ...

    def read(self, body: bytes) -> Turn: ...

    def compose(self, rounds: Sequence[Round], usage: dict[str, Any], asked: Fields) -> bytes: ...

    def cleaned(self, body: bytes, asked: Fields) -> bytes:
        """Return a reply that is passed on, without what it repeats of managed tools."""
        ...

    def stream(self, asked: Fields, view: View) -> Stream:
        """Begin an answer to what the client has asked."""
        ...

    def replay(self, turn: Turn) -> Iterator[Frame]:
        """Yield a whole reply as it would have been streamed."""
        ...

    def worded(self, text: str, like: Turn | None = None) -> Turn:
        """Return a reply that says nothing but this, under the head of another."""
        ...

    def seals(self, message: Raw) -> list[str]:
        """Return the fingerprints of reasoning that only the upstream that made it can read."""
        ...

    def without(self, history: Sequence[Raw], foreign: Container[str]) -> list[Raw]:
        """Return the history without reasoning of these fingerprints."""
        ...

    def settled(self, fields: Fields) -> tuple[Fields, bool]:
        """Make a request legal that has lost reasoning; say whether it had to be changed."""
        ...

    def asking(self, fields: Fields) -> Fields:
        """Return the request with what has to be asked so that all can be counted."""
        ...

    def error_body(self, error: ProxyError, request_id: str) -> dict[str, Any]: ...

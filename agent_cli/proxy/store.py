"""What the proxy remembers: hidden rounds, and which calls were made.

`sqlite.py` or `postgres.py` keeps it. Reading consumes nothing. Everything belongs to one
principal and is found by nobody else.
"""

from collections.abc import Sequence
from typing import Protocol, TypeAlias

from msgspec import Raw, Struct

from agent_cli.proxy.dialects.turns import Call, Turn
from agent_cli.proxy.envelopes import Envelope
from agent_cli.proxy.spending import Account, Spent


class Segment(Struct, frozen=True):
    """Hidden rounds, and the place in a client's history where they belong."""

    id: str
    principal: str
    dialect: str
    conversation: str
    """The client's own key for the conversation, if it has one."""
    anchors: tuple[str, ...]
    """By which it is found: `call:ID` and `text:DIGEST`."""
    calls: str
    """Digest of the visible calls with names and arguments; empty without calls."""
    prefix: str
    """Digest of all that the client's history held before."""
    previous: str
    """Digest of the message just before."""
    full: tuple[Raw, ...]
    """The messages that take the place of the visible turn."""
    results: tuple[tuple[Call, Envelope], ...] = ()
    """In the merged layout: results to be put among those of the client."""
    order: tuple[str, ...] = ()
    """The ids of all calls of the turn, in the merged layout."""
    tools: tuple[str, ...] = ()
    """Presented names of the managed tools that were called."""
    created: float = 0.0

    @property
    def layout(self) -> str:
        return "merged" if self.order else "split"


class Kept(Struct, frozen=True):
    """A hidden round, as it is gone on with after a failure."""

    turn: Turn
    messages: tuple[Raw, ...]
    results: tuple[tuple[Call, Envelope], ...]
    executed: tuple[str, ...] = ()
    release: tuple[int, ...] = ()
    last: bool = False
    """The native calls of the turn end the answer."""


class Checkpoint(Struct, frozen=True):
    rounds: tuple[Kept, ...]


class Journaled(Struct, frozen=True):
    """A call with a side effect."""

    owner: str
    """The process that began it."""
    name: str
    envelope: Envelope | None = None
    """Its result; None while it runs, or if nobody knows."""


class Row(Struct, frozen=True):
    """A line of `agent proxy continuity list`."""

    id: str
    principal: str
    conversation: str
    layout: str
    tools: tuple[str, ...]
    bytes: int
    created: float
    used: float


def row_of(segment: Segment, size: int, created: float, used: float) -> Row:
    about = (segment.id, segment.principal, segment.conversation, segment.layout, segment.tools)
    return Row(*about, size, created, used)


ORIGIN = "origin"
"""Which upstream has made something that only itself can read."""
STAY = "upstream"
"""Where a conversation was sent after the first upstream had failed."""
PASSED = "passed"
"""A response that the upstream stores, and in which nothing is hidden."""
CHECK = "key"
"""By which it is known whether a key is the right one."""
LASTING = ("response", "tools", "thought", "hidden", ORIGIN, STAY, PASSED)
"""Kinds of records that are kept as long as segments; others only as long as a retry may take."""

Wanted: TypeAlias = tuple[str, str, float]


class Store(Protocol):
    """Durable, shared by all workers. `kind` is what a record is; ages are in seconds."""

    async def get(self, kind: str, principal: str, key: str, age: float) -> bytes | None: ...

    async def get_each(self, principal: str, wanted: Sequence[Wanted]) -> list[bytes | None]:
        """Return what `get` would for each kind, key and age, asking once."""
        ...

    async def put(self, kind: str, principal: str, key: str, body: bytes) -> None: ...

    async def add(self, kind: str, principal: str, key: str, body: bytes, age: float) -> bool:
        """Put it if there is none that is younger; return whether it was put."""
        ...

    async def remember(self, segment: Segment) -> bool:
        """Keep it, or its new form; return whether that was done: it may be too large."""
        ...

    async def find(self, principal: str, anchors: Sequence[str]) -> list[Segment]: ...

    async def foreign(self, principal: str, anchors: Sequence[str]) -> bool:
        """Whether others have a segment at one of the anchors."""
        ...

    async def spend(self, spent: Spent) -> None:
        """Enter a call of an upstream into the account book."""
        ...

    async def account(self, principal: str, since: str) -> Account:
        """Return what was spent from that day on; from the very first with none."""
        ...

    async def alive(self, owner: str) -> bool:
        """Whether the process is still there."""
        ...

    async def close(self) -> None: ...

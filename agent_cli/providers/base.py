"""A provider: a codec and a transport."""

from collections.abc import AsyncIterator
from typing import Protocol

from msgspec import Struct

from agent_cli.types.events import Delta
from agent_cli.types.requests import ModelRequest


class Endpoint(Struct, frozen=True):
    """Where and as whom a provider is asked."""

    base_url: str
    """Without a trailing slash; the codec's path is appended."""
    api_key: str = ""
    headers: tuple[tuple[str, str], ...] = ()
    connect_timeout: float = 10.0
    """Seconds."""
    stall_timeout: float = 300.0
    """Seconds without a byte after which the stream counts as cut."""


class Provider(Protocol):
    """Asks a model. One request at a time; closing the iterator ends the request at once."""

    def stream(self, request: ModelRequest) -> AsyncIterator[Delta]:
        """Yield deltas, `MessageEnd` last. Raises ProviderError; never ends without either."""
        ...

    async def close(self) -> None: ...

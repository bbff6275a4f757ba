"""A provider: a codec and a transport."""

from collections.abc import AsyncGenerator
from typing import Protocol

from msgspec import Struct

from agent_cli.types.events import Delta
from agent_cli.types.requests import ModelRequest
from agent_cli.wire.frames import Frame


class Endpoint(Struct, frozen=True):
    """Where and as whom a provider is asked."""

    base_url: str
    """Without a trailing slash; the codec's path is appended."""
    api_key: str = ""
    headers: tuple[tuple[str, str], ...] = ()
    """Sent as they are, over those that the transport would send itself."""
    connect_timeout: float = 10.0
    """Seconds."""
    stall_timeout: float = 300.0
    """Seconds without a byte after which the stream counts as cut."""
    proxy: str = ""
    """URL of the proxy that leads to it, from the user's environment."""

    def __repr__(self) -> str:
        # Tracebacks and crash reports show values; key, headers and proxy may hold secrets.
        return f"Endpoint({self.base_url.rpartition('@')[2]!r}, …)"


class Transport(Protocol):
    """Carries one encoded request and brings back the frames of its answer."""

    def send(self, body: bytes) -> AsyncGenerator[Frame, None]:
        """Yield frames up to a clean end. Closing the generator ends the request at once.

        Raises ProviderError when there is no answer, it is a refusal, or it is cut.
        """
        ...

    async def close(self) -> None: ...


class Provider(Protocol):
    """Asks a model. One request at a time; closing the iterator ends the request at once."""

    def stream(self, request: ModelRequest) -> AsyncGenerator[Delta, None]:
        """Yield deltas, `MessageEnd` last. Raises ProviderError; never ends without either."""
        ...

    async def close(self) -> None: ...

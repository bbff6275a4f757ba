"""A transport that plays a cassette: what was recorded or scripted, through the same codec."""

import asyncio
from collections.abc import AsyncGenerator, Iterable

from agent_cli.providers.cassette import Cassette, Exchange
from agent_cli.providers.retry import WireProvider
from agent_cli.settings.schema import RetrySettings
from agent_cli.types.errors import Fault, ProviderError
from agent_cli.types.messages import AssistantMessage
from agent_cli.wire.codec import Codec
from agent_cli.wire.frames import Frame


class ReplayTransport:
    """Answers each request with the next exchange, whatever was asked."""

    def __init__(self, cassette: Cassette, codec: Codec, pace: float = 0) -> None:
        """`pace`: seconds before each frame, for a reader's eyes."""
        self._cassette = cassette
        self._codec = codec
        self._pace = pace
        self._played = 0

    async def send(self, body: bytes) -> AsyncGenerator[Frame, None]:
        """See `Transport.send`. Raises ProviderError when the cassette is at its end."""
        exchanges = self._cassette.exchanges
        if self._played == len(exchanges):
            raise ProviderError(
                f"the cassette {self._cassette.name!r} is at its end: it holds answers to"
                f" {len(exchanges)} requests, and this is one more",
                Fault.INVALID_REQUEST,
            )
        exchange = exchanges[self._played]
        self._played += 1
        for frame in self._frames(exchange):
            await asyncio.sleep(self._pace)
            yield frame

    async def close(self) -> None:
        """There is nothing to close."""

    def _frames(self, exchange: Exchange) -> Iterable[Frame]:
        if isinstance(exchange, AssistantMessage):
            return self._codec.encode_stream(exchange, self._cassette.header.model)
        return exchange


def replay(cassette: Cassette, codec: Codec, retry: RetrySettings, pace: float = 0) -> WireProvider:
    """Return a provider that plays the cassette; a stream recorded as cut is retried unwaited."""
    return WireProvider(codec, ReplayTransport(cassette, codec, pace), retry, sleep=_at_once)


async def _at_once(_: float) -> None:
    await asyncio.sleep(0)

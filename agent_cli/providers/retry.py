"""A provider from codec and transport, that asks again when asking again can help.

Nothing is executed before a stream has ended cleanly, so a stream that was cut is as harmless as
a refused one: what it said is void, and the request is sent again.
"""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import aclosing
from random import random

from agent_cli.providers.base import Transport
from agent_cli.settings.schema import RetrySettings
from agent_cli.types.errors import Fault, ProviderError
from agent_cli.types.events import Delta, MessageEnd, Retrying
from agent_cli.types.requests import ModelRequest
from agent_cli.wire.codec import Codec
from agent_cli.wire.frames import Fragments, Frame

FIRST_DELAY = 0.5
"""Seconds; doubled for every further attempt."""
TICK = 1.0
"""Seconds between two words about a wait."""
FRAMES_AFTER_END = 0.2
"""Seconds to wait for the end of the stream after its terminal event, to keep the connection."""


class WireProvider:
    """See `Provider`. One per session: it keeps the fragments that make prefixes stable."""

    def __init__(
        self,
        codec: Codec,
        transport: Transport,
        retry: RetrySettings,
        sleep: Callable[[float], Awaitable[object]] = asyncio.sleep,
    ) -> None:
        self._codec = codec
        self._transport = transport
        self._retry = retry
        self._sleep = sleep
        self._fragments = Fragments()

    async def stream(self, request: ModelRequest) -> AsyncGenerator[Delta, None]:
        """See `Provider.stream`. A `Retrying` voids every delta before it."""
        body = self._codec.encode_request(request, self._fragments)
        attempt = 1
        while True:
            try:
                async with aclosing(self._attempt(body)) as deltas:
                    async for delta in deltas:
                        yield delta
            except ProviderError as error:
                delay = delay_before(attempt + 1, error, self._retry)
                reason = str(error)
            else:
                return
            attempt += 1
            yield Retrying(attempt, delay, reason)
            left = delay
            while left > TICK:
                await self._sleep(TICK)
                left -= TICK
                yield Retrying(attempt, delay, reason, left)
            await self._sleep(left)

    async def close(self) -> None:
        await self._transport.close()

    async def _attempt(self, body: bytes) -> AsyncGenerator[Delta, None]:
        decoder = self._codec.decoder()
        async with aclosing(self._transport.send(body)) as frames:
            async for frame in frames:
                deltas = decoder.decode(frame)
                if decoder.finished:
                    await _drain(frames)
                for delta in deltas:
                    yield delta
                if decoder.finished:
                    return
        last = decoder.eof()
        if not any(isinstance(delta, MessageEnd) for delta in last):
            raise ProviderError("the stream ended before the message did", Fault.CUT)
        for delta in last:
            yield delta


async def _drain(frames: AsyncGenerator[Frame, None]) -> None:
    """Read on to the end of the answer, which should be there, so that the connection is kept."""
    try:
        async with asyncio.timeout(FRAMES_AFTER_END):
            async for _ in frames:
                pass
    except (TimeoutError, ProviderError):
        return  # the message is whole; only the connection is lost


def delay_before(attempt: int, error: ProviderError, retry: RetrySettings) -> float:
    """Return the seconds to wait before the attempt; raises if there must not be one."""
    if not error.retryable:
        raise error
    if attempt > retry.attempts:
        if retry.attempts > 1:
            error.add_note(f"given up after {retry.attempts} attempts")
        raise error
    backoff = min(FIRST_DELAY * 2.0 ** min(attempt - 2, 30), retry.cap)
    backoff *= 1 - random() / 4  # noqa: S311 - spreads clients, keeps no secret
    if error.retry_after is None:
        return backoff
    if error.retry_after > retry.cap:
        raise ProviderError(
            f"{error} (the provider asks to wait {error.retry_after:.0f} s, longer than"
            f" the {retry.cap:g} s that retry.cap allows)",
            error.fault,
            status=error.status,
            retry_after=error.retry_after,
        ) from error
    return max(error.retry_after, backoff)

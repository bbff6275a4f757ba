"""Work that is ended even when the client that it was begun for has gone."""

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

T = TypeVar("T")


class Background:
    """Whoever makes one drains it."""

    def __init__(self) -> None:
        self._running: set[asyncio.Task[Any]] = set()

    async def end(self, work: Coroutine[Any, Any, T]) -> T:
        """Wait for the work; it goes on if nobody waits any more."""
        task = asyncio.create_task(work)
        self._running.add(task)
        task.add_done_callback(self._running.discard)
        return await asyncio.shield(task)

    async def drain(self, seconds: float) -> None:
        if self._running:
            await asyncio.wait(self._running, timeout=seconds)

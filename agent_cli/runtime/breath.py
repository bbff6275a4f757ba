"""Pauses in a loop that may never have to wait: keys and timers are heard under any rate."""

import asyncio
import time

_LONGEST = 0.02
"""Seconds for which nobody else gets a turn."""


class Breath:
    def __init__(self) -> None:
        self._last = time.monotonic()

    async def take(self) -> None:
        """Let everybody else have their turn, if it is time."""
        if time.monotonic() - self._last > _LONGEST:
            await asyncio.sleep(0)
            self._last = time.monotonic()

"""A timer that ends what nothing comes from."""

import asyncio
from collections.abc import Callable


class Patience:
    """Ends a connection that nothing comes from."""

    def __init__(self) -> None:
        self._timer: asyncio.TimerHandle | None = None

    def wait(self, seconds: float, end: Callable[[], None]) -> None:
        self.stop()
        self._timer = asyncio.get_running_loop().call_later(seconds, end)

    def stop(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

"""The pipe from a program to us: read as fast as the program writes, whatever it writes."""

import asyncio
import os
from collections.abc import Callable

from agent_cli.processes._output import Output

_CHUNK = 65_536


class Pipe:
    """Feeds what comes out of it to an `Output` and to a listener."""

    def __init__(self, output: Output, listener: Callable[[str], None] | None) -> None:
        self.output = output
        self._listener = listener
        self._ended = asyncio.Event()
        self._read_end, self.write_end = os.pipe()
        os.set_blocking(self._read_end, False)
        asyncio.get_running_loop().add_reader(self._read_end, self._read)

    def started(self) -> None:
        """Give up our own write end: only then can the pipe end with its writers."""
        os.close(self.write_end)
        self.write_end = -1

    async def drained(self, timeout: float) -> None:  # noqa: ASYNC109 - running out of it is no error
        """Wait until every writer has closed the pipe, or the time is over."""
        ended = asyncio.ensure_future(self._ended.wait())
        await asyncio.wait({ended}, timeout=timeout)
        ended.cancel()

    def close(self) -> None:
        """Stop reading, even if somebody still writes."""
        asyncio.get_running_loop().remove_reader(self._read_end)
        os.close(self._read_end)
        if self.write_end >= 0:
            self.started()
        self._take(b"", final=True)

    def _read(self) -> None:
        data = os.read(self._read_end, _CHUNK)
        if data:
            self._take(data)
            return
        asyncio.get_running_loop().remove_reader(self._read_end)
        self._ended.set()

    def _take(self, data: bytes, *, final: bool = False) -> None:
        text = self.output.feed(data, final=final)
        if text and self._listener is not None:
            self._listener(text)

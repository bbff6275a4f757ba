"""A program that is talked with, line by line, over its standard input and output.

It is started and ended like every other: in a session of its own, kept by a keeper, with pipes
instead of the one output. What it writes to standard error is kept only at its end, to say why
it is gone.
"""

import asyncio
import os
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from agent_cli.processes.launch import Kept, Launcher

LONGEST = 16 * 1024 * 1024
"""Bytes of one line; a program that writes a longer one makes no sense any more."""
_KEPT = 4_000
"""Bytes of standard error."""
_GRACE = 1.0
"""Seconds that a program has to end by itself, once its standard input has ended."""


class Dialogue:
    """One program. `begin` it first, and `close` it in any case."""

    def __init__(self) -> None:
        self._kept: Kept | None = None
        self._lines = asyncio.StreamReader(limit=LONGEST)
        self._writer: asyncio.StreamWriter | None = None
        self._errors = _Tail()
        self._transports: list[asyncio.BaseTransport] = []

    @property
    def errors(self) -> str:
        """The end of what the program wrote to standard error."""
        return self._errors.data.decode("utf-8", "replace").strip()

    @property
    def exit_code(self) -> int | None:
        """Negative for a signal; None while the program runs, as far as is known."""
        return self._kept.exit_code if self._kept is not None else None

    async def begin(
        self, launcher: Launcher, argv: Sequence[str], environ: Mapping[str, str], cwd: Path
    ) -> None:
        """Start the program. Raises OSError or ValueError if it cannot be started."""
        pipes = [os.pipe(), os.pipe(), os.pipe()]
        (source, ours), (out, output), (err, errors) = pipes
        try:
            self._kept = launcher.launch(argv, environ, cwd, [source, output, errors])
        except BaseException:
            for descriptor in (ours, out, err):
                os.close(descriptor)
            raise
        finally:
            for descriptor in (source, output, errors):
                os.close(descriptor)
        await self._connect(ours, out, err)
        await self._kept.started()

    async def line(self) -> bytes:
        """Return the next line; empty when there are no more. Raises OSError for one too long."""
        try:
            return await self._lines.readuntil(b"\n")
        except asyncio.IncompleteReadError as end:
            return end.partial
        except asyncio.LimitOverrunError:
            raise OSError(f"a line of more than {LONGEST // 1024 // 1024} MB") from None

    async def say(self, data: bytes) -> None:
        """Write; raises OSError when the program does not read any more."""
        assert self._writer is not None
        self._writer.write(data)
        await self._writer.drain()

    async def close(self) -> None:
        """End the program and all that it has started."""
        if self._writer is not None:
            self._writer.close()
        try:
            if self._kept is not None:
                await self._end(self._kept)
        finally:
            for transport in self._transports:
                transport.close()

    async def _end(self, kept: Kept) -> None:
        try:
            if kept.pid and kept.exit_code is None:
                with suppress(TimeoutError):
                    async with asyncio.timeout(_GRACE):
                        await kept.ended()
        finally:
            try:
                await kept.end()
            finally:
                kept.close()

    async def _connect(self, ours: int, out: int, err: int) -> None:
        loop = asyncio.get_running_loop()
        protocol = asyncio.StreamReaderProtocol(self._lines)
        reading, _ = await loop.connect_read_pipe(lambda: protocol, os.fdopen(out, "rb", 0))
        watching, _ = await loop.connect_read_pipe(lambda: self._errors, os.fdopen(err, "rb", 0))
        flow = asyncio.StreamReaderProtocol(asyncio.StreamReader())
        writing, _ = await loop.connect_write_pipe(lambda: flow, os.fdopen(ours, "wb", 0))
        self._writer = asyncio.StreamWriter(writing, flow, None, loop)
        self._transports = [reading, watching, writing]


class _Tail(asyncio.Protocol):
    """Keeps the last of what comes."""

    def __init__(self) -> None:
        self.data = b""

    def data_received(self, data: bytes) -> None:
        self.data = (self.data + data)[-_KEPT:]

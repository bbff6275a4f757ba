"""One program on its way, from its start to its end."""

import asyncio

from msgspec import Struct

from agent_cli.processes._pipe import Pipe
from agent_cli.processes._spill import Spill
from agent_cli.processes.launch import Kept

_LINGER = 0.25
"""Seconds we wait for the end of the output once the program has ended: a background process
that keeps the pipe open must not keep us."""


class Finished(Struct, frozen=True):
    """What became of a program."""

    exit_code: int | None
    """None when a signal ended it, or we did."""
    signal: int | None
    output: str
    """Standard output and error, as they came, at most `_output.LIMIT` characters."""
    timed_out: bool = False
    spilled: str | None = None
    """The file that holds the output, when there was too much of it."""


class Run:
    """A program that was asked for; `finish` must be awaited."""

    def __init__(self, kept: Kept, pipe: Pipe, spill: Spill | None) -> None:
        self._kept = kept
        self._pipe = pipe
        self._spill = spill
        self._limit = asyncio.timeout(None)
        self._starting: asyncio.Future[None] | None = None

    @property
    def pid(self) -> int:
        return self._kept.pid

    @property
    def spilled(self) -> str | None:
        return self._spill.path if self._spill is not None else None

    def take_output(self) -> str:
        """Return what was printed since this was last called."""
        return self._pipe.output.take()

    async def started(self) -> None:
        """Wait until it runs; see `finish` for what happens otherwise."""
        try:
            await self._kept.started()
        except BaseException:
            try:
                await self._kept.end()
            finally:
                self._close()
            raise

    async def finish(
        self,
        timeout: float | None,  # noqa: ASYNC109 - the result says so, with the output so far
    ) -> Finished:
        """Wait until it has ended; end it when the time is over or nobody waits any more.

        Raises OSError if it could not be started.
        """
        timed_out = False
        try:
            try:
                async with asyncio.timeout(timeout) as self._limit:
                    if not self._kept.pid:
                        await self._kept.started()
                    await self._kept.ended()
            except TimeoutError:
                timed_out = True
            finally:
                if self._kept.exit_code is None:
                    await self._kept.end()
            await self._pipe.drained(_LINGER)
        finally:
            self._close()
        return self._finished(timed_out=timed_out)

    def stop(self) -> None:
        """Have `finish` end it now, as if its time were over."""
        if not self._limit.expired():
            self._limit.reschedule(asyncio.get_running_loop().time())

    def _finished(self, *, timed_out: bool) -> Finished:
        code = self._kept.exit_code or 0
        return Finished(
            exit_code=code if code >= 0 and not timed_out else None,
            signal=-code if code < 0 else None,
            output=self._pipe.output.text,
            timed_out=timed_out,
            spilled=self.spilled,
        )

    def _close(self) -> None:
        self._kept.close()
        self._pipe.close()
        if self._spill is not None:
            self._spill.close()

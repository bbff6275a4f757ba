"""The bottom of the terminal while the agent works: tail, progress, what is queued, a line to type.

It is there from the beginning of some work to its end, but for questions: these take its place,
and what was typed until then is kept as it is.
"""

import asyncio
import signal
import sys
import time
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager, suppress
from typing import cast

from prompt_toolkit.application import Application

from agent_cli.frontends.terminal.above import Above, HeldOutput
from agent_cli.frontends.terminal.below import Desk
from agent_cli.frontends.terminal.input import ReadLine
from agent_cli.frontends.terminal.keys_at_work import KeysAtWork, bindings
from agent_cli.frontends.terminal.live_draft import LiveDraft
from agent_cli.frontends.terminal.live_rows import LiveRows, layout
from agent_cli.frontends.terminal.writer import Writer

_ESCAPE = 0.05
"""Seconds after which an escape character was the key, and no beginning of another."""
_BETWEEN = 0.01
"""Seconds between keys that come as one: Alt+Enter is Esc and Enter at once."""
_TICK = 1.0
"""Seconds between two progress lines, when nothing else happens."""


class Live:
    """Stays below what the writer prints while work goes on."""

    def __init__(self, writer: Writer, term: str, progress: Callable[[float], str]) -> None:
        """`progress` says how it stands after so many seconds."""
        self._writer = writer
        self._term = term
        self._draft = LiveDraft()
        self._rows = LiveRows(writer, progress)
        self._desk: Desk | None = None
        """None while nobody works."""
        self._app: Application[None] | None = None
        self._above: Above | None = None
        self._running: asyncio.Task[None] | None = None
        self._wanted = False
        """Whether what runs is to stay."""

    @asynccontextmanager
    async def working(self, desk: Desk) -> AsyncGenerator[None, None]:
        self._desk = desk
        self._rows.begin(desk.queued, time.monotonic())
        try:
            self._start()
            yield
        finally:
            await self._stop()
            self._desk = None

    def asking(self, read: ReadLine) -> ReadLine:
        async def asked(prompt: str, draft: str = "") -> str:
            self._hear_what_was_typed()
            await self._stop()
            try:
                return await read(prompt, draft)
            finally:
                if self._desk is not None and not _cancelled():
                    self._start()

        return asked

    def stopping(self) -> None:
        self._rows.stopping = True
        if self._running is not None and self._above is not None:
            self._above.at_once()

    def take_draft(self) -> str:
        return self._draft.take()

    def changed(self) -> None:
        if self._running is not None and self._above is not None:
            self._above.changed()

    def _start(self) -> None:
        self._app = self._app or self._made()
        self._wanted = True
        self._running = asyncio.create_task(
            self._app.run_async(
                pre_run=self._begins, handle_sigint=False, set_exception_handler=False
            )
        )

    def _begins(self) -> None:
        if self._wanted:
            self._writer.attach(self)
        elif self._app is not None:
            self._app.exit()

    async def _stop(self) -> None:
        """Take it away, whoever is in a hurry: what comes next has to have the terminal alone."""
        running, self._running, self._wanted = self._running, None, False
        if running is None or self._app is None or self._above is None:
            return
        self._above.finish(self._writer.detach())
        if self._app.is_running and not self._app.is_done:
            self._app.exit()
        hurried = False
        while not running.done():
            try:
                await asyncio.wait({running})
            except asyncio.CancelledError:
                hurried = True
        with suppress(EOFError):  # the terminal is gone, and whoever reads next is told
            running.result()
        if hurried:
            raise asyncio.CancelledError

    def _made(self) -> Application[None]:
        output = cast(HeldOutput, HeldOutput.from_pty(sys.stdout, term=self._term))
        app: Application[None] = Application(
            layout=layout(self._rows, self._draft),
            key_bindings=bindings(lambda: self._desk or Desk(), self._draft, self._interrupt),
            input=KeysAtWork(sys.stdin),
            output=output,
            erase_when_done=True,
            refresh_interval=_TICK,
            terminal_size_polling_interval=None,
        )
        app.ttimeoutlen, app.timeoutlen = _ESCAPE, _BETWEEN
        self._above = Above(app, output, self._writer.take)
        return app

    def _hear_what_was_typed(self) -> None:
        """Take keys that were pressed until now for what they were when they were pressed."""
        app = self._app
        if app is None or app.context is None or self._running is None:
            return
        app.key_processor.feed_multiple(app.input.read_keys())
        app.context.copy().run(app.key_processor.process_keys)

    def _interrupt(self, *, again: bool) -> None:
        """Do what Ctrl-C does; `again` also when it was done before."""
        if again or not self._rows.stopping:
            signal.raise_signal(signal.SIGINT)


def _cancelled() -> bool:
    task = asyncio.current_task()
    return task is not None and task.cancelling() > 0

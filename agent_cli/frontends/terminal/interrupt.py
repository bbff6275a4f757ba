"""Ctrl-C for the length of a turn: it cancels the turn, not the program."""

import asyncio
import signal
from collections.abc import Coroutine
from typing import Any, TypeVar

from agent_cli.frontends.stopping import stopping
from agent_cli.frontends.terminal.below import Below, Desk

T = TypeVar("T")


async def interruptible(work: Coroutine[Any, Any, T], below: Below, desk: Desk) -> T | None:
    """Do the work, with this below; return None if the user interrupted it."""
    task = asyncio.ensure_future(work)
    with stopping(task, [signal.SIGINT], below.stopping):
        try:
            async with below.working(desk):
                return await task
        except asyncio.CancelledError:
            current = asyncio.current_task()
            if current is not None and current.cancelling():
                raise  # it is us who are being cancelled, not only the turn
            return None

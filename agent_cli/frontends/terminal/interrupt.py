"""Ctrl-C for the length of a turn: it cancels the turn, not the program."""

import asyncio
import signal
from collections.abc import Coroutine
from typing import Any, TypeVar

T = TypeVar("T")


async def interruptible(work: Coroutine[Any, Any, T]) -> T | None:
    """Do the work; return None if the user interrupted it."""
    loop = asyncio.get_running_loop()
    task = asyncio.ensure_future(work)
    loop.add_signal_handler(signal.SIGINT, task.cancel)
    try:
        return await task
    except asyncio.CancelledError:
        current = asyncio.current_task()
        if current is not None and current.cancelling():
            raise  # it is us who are being cancelled, not only the turn
        return None
    finally:
        loop.remove_signal_handler(signal.SIGINT)

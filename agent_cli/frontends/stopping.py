"""Signals for the length of some work: the first cancels it, the second insists, the third exits.

The handlers are Python's own and not the event loop's: they also run while something keeps the
loop busy, so that whatever is stuck can be left. Every entry of the session is in its file by
then, and a program that goes on with it finds what was open.
"""

import asyncio
import os
import signal
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from types import FrameType
from typing import Any

from agent_cli.engine.outcomes import EXIT_STATUS, Verdict

VERDICTS = {
    signal.SIGINT: Verdict.INTERRUPTED,
    signal.SIGTERM: Verdict.TERMINATED,
    signal.SIGHUP: Verdict.TERMINATED,
}

PATIENCE = 2
"""Signals after which the next one does not wait for anything any more."""


@contextmanager
def stopping(
    task: "asyncio.Future[Any]",
    numbers: Sequence[signal.Signals],
    told: Callable[[], None] | None = None,
) -> Generator[list[Verdict], None, None]:
    """Cancel the task on these signals; yields the verdicts of those that came, in order.

    Whoever is `told` can say so before anything has ended.
    """
    received: list[Verdict] = []
    loop = task.get_loop()

    def stop(number: int, frame: FrameType | None) -> None:
        verdict = VERDICTS[signal.Signals(number)]
        if len(received) >= PATIENCE:
            os._exit(EXIT_STATUS[verdict])
        received.append(verdict)
        if told is not None:
            loop.call_soon_threadsafe(told)
        loop.call_soon_threadsafe(task.cancel)

    before = {number: signal.signal(number, stop) for number in numbers}
    try:
        yield received
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)

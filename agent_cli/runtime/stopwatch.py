"""How long a call has run, without the time for which it waited for a person."""

import time
from collections.abc import Awaitable, Sequence
from typing import TypeVar

from agent_cli.runtime.frontend import Frontend
from agent_cli.types.approval import Request, Verdict
from agent_cli.types.events import Event

T = TypeVar("T")


class Stopwatch:
    """Times one call after the other."""

    def __init__(self) -> None:
        self._began: float | None = None
        self._waited = 0.0

    def start(self) -> None:
        self._began, self._waited = time.monotonic(), 0.0

    def stop(self) -> float:
        """Return the seconds since the start, 0 if there was none."""
        if self._began is None:
            return 0.0
        seconds = time.monotonic() - self._began - self._waited
        self._began = None
        return round(max(seconds, 0.0), 3)

    async def without(self, answer: Awaitable[T]) -> T:
        """Return a person's answer; the time until then does not count."""
        began = time.monotonic()
        try:
            return await answer
        finally:
            self._waited += time.monotonic() - began


class Clocked:
    """A frontend whose questions stop the clock."""

    def __init__(self, frontend: Frontend, watch: Stopwatch) -> None:
        self._frontend = frontend
        self._watch = watch

    def emit(self, event: Event) -> None:
        self._frontend.emit(event)

    async def approve(self, requests: Sequence[Request]) -> Sequence[Verdict]:
        return await self._watch.without(self._frontend.approve(requests))

    async def ask(self, question: str, suggestions: tuple[str, ...] = ()) -> str | None:
        return await self._watch.without(self._frontend.ask(question, suggestions))

    async def feedback(self) -> str | None:
        return await self._watch.without(self._frontend.feedback())

"""Printing above an application that runs: erase it, write, draw it again, as one write.

However much there is to say, it is drawn some thirty times a second at most, and less often
where drawing is slow: what it costs does not depend on the number of pieces.
"""

import asyncio
from collections.abc import Callable
from typing import Any

from prompt_toolkit.application import Application
from prompt_toolkit.output.vt100 import Vt100_Output

_FRAME = 1 / 30
_SLOWEST = 0.2
"""Seconds between two frames: what came last is seen after no more than that."""
_SHARE = 10
"""A frame is followed by a pause of so many times what it took."""


class HeldOutput(Vt100_Output):
    """The terminal; what is drawn can be held back until it is whole.

    It does not ask the terminal where its cursor is: nobody might be there to hear the answer.
    """

    held = False

    def flush(self) -> None:
        if not self.held:
            super().flush()

    def disable_bracketed_paste(self) -> None:
        """Leave it on in the middle of a frame: text could be pasted just then."""
        if not self.held:
            super().disable_bracketed_paste()

    @property
    def responds_to_cpr(self) -> bool:
        return False


class Above:
    """Prints what there is to take above the application."""

    def __init__(self, app: Application[Any], output: HeldOutput, take: Callable[[], str]) -> None:
        self._app = app
        self._output = output
        self._take = take
        self._due: asyncio.TimerHandle | None = None
        self._not_before = 0.0
        self._begun = 0.0
        app.before_render += self._draws
        app.after_render += self._drew

    def changed(self) -> None:
        """See to it that the next frame comes; the first does at once."""
        if self._due is None:
            loop = asyncio.get_running_loop()
            self._due = loop.call_at(max(loop.time(), self._not_before), self._frame)

    def at_once(self) -> None:
        """Draw now: somebody waits for an answer."""
        if self._due is not None:
            self._due.cancel()
        self._frame()

    def finish(self, rest: str) -> None:
        """Print what is left; the application ends now."""
        if self._due is not None:
            self._due.cancel()
            self._due = None
        self._print(rest)

    def _frame(self) -> None:
        self._due = None
        self._begun = asyncio.get_running_loop().time()
        self._print(self._take())
        self._app.invalidate()

    def _print(self, text: str) -> None:
        if text:
            self._output.held = True
            self._app.renderer.erase()
            self._output.write_raw(text)

    def _draws(self, _: object) -> None:
        self._output.held = False

    def _drew(self, _: object) -> None:
        now = asyncio.get_running_loop().time()
        pause = min(max(_FRAME, _SHARE * (now - self._begun)), _SLOWEST) if self._begun else _FRAME
        self._not_before, self._begun = now + pause, 0.0

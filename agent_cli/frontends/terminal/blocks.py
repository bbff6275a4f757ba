"""How a streamed text comes apart: into what is finished, and is printed, and what is not yet."""

from collections.abc import Sequence
from typing import Protocol

from rich.console import RenderableType
from rich.text import Text

_LONGEST_LINE = 8192
"""Characters after which a line is broken, for without an end it could never be printed."""
_SHOWN = 2000
"""Characters at the end of an unfinished line that somebody can ask for."""


class Blocks(Protocol):
    """Takes a text in pieces, which were made safe to show before."""

    def feed(self, text: str) -> Sequence[RenderableType]:
        """Return what is finished now, to be printed once and for good."""
        ...

    @property
    def tail(self) -> str:
        """The end of what is not finished yet."""
        ...

    def flush(self) -> Sequence[RenderableType]:
        """Finish what is left, and begin afresh."""
        ...


class Lines:
    """A text that is printed as it is, line by line."""

    def __init__(self, style: str = "") -> None:
        self._style = style
        self._pieces: list[str] = []
        self._length = 0

    def feed(self, text: str) -> list[Text]:
        whole, newline, rest = text.rpartition("\n")
        finished = [self._line("".join([*self._take(), whole]))] if newline else []
        self._keep(rest)
        if self._length > _LONGEST_LINE:
            head, blank, end = "".join(self._take()).rpartition(" ")
            finished.append(self._line(head if blank else end))
            self._keep(end if blank else "")
        return finished

    @property
    def tail(self) -> str:
        if len(self._pieces) > 1:
            self._pieces = ["".join(self._pieces)]
        return self._pieces[0][-_SHOWN:] if self._pieces else ""

    def flush(self) -> list[Text]:
        rest = "".join(self._take())
        return [self._line(rest)] if rest else []

    def _line(self, text: str) -> Text:
        return Text().append(text, self._style)  # what is rendered has no style of the whole

    def _keep(self, text: str) -> None:
        if text:
            self._pieces.append(text)
            self._length += len(text)

    def _take(self) -> list[str]:
        pieces, self._pieces, self._length = self._pieces, [], 0
        return pieces

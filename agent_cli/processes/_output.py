"""What a program printed, as a person would have seen it, and no more of it than fits."""

import codecs
import re
from collections import deque

from agent_cli.processes._spill import Spill
from agent_cli.types.redaction import Redactor, Stream

LIMIT = 50_000
"""Characters of one run that anybody gets to read."""
_HEAD = LIMIT // 5
_TAIL = LIMIT - _HEAD
_LONGEST_LINE = 65_536
_PIECES = re.compile(r"[\r\b\n]|[^\r\b\n]+")


class Output:
    """Takes bytes as they come and keeps the beginning and the end of their text."""

    def __init__(
        self, spill: Spill | None = None, *, spill_all: bool = False, redactor: Redactor
    ) -> None:
        """Write to `spill` what is too much to keep, or all of it; secrets go nowhere."""
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._redacted = Stream(redactor)
        self._screen = _Screen()
        self._ends = _Ends(spill, spills=spill_all)

    def feed(self, data: bytes, *, final: bool = False) -> str:
        """Add bytes; return their text, as it was printed."""
        text = self._redacted.feed(self._decoder.decode(data, final), final=final)
        self._ends.add(self._screen.write(text))
        if final:
            self._ends.add(self._screen.rest())
        return text

    @property
    def text(self) -> str:
        return self._ends.text

    def take(self) -> str:
        """Return the text and forget it, to return later only what is new."""
        self._ends.add(self._screen.rest())
        text = self._ends.text
        self._ends.forget()
        return text


class _Screen:
    """One line of a terminal: carriage return and backspace move, later text overwrites.

    A progress bar thus becomes its last state.
    """

    def __init__(self) -> None:
        self._line: list[str] = []
        self._column = 0

    def write(self, text: str) -> str:
        """Return what has scrolled out of the line and will not change any more."""
        settled: list[str] = []
        if not self._line and "\r" not in text and "\b" not in text:
            whole, newline, text = text.rpartition("\n")
            settled.append(whole + newline)
        for piece in _PIECES.findall(text):
            if piece == "\n":
                settled.append(self.rest() + "\n")
            elif piece == "\r":
                self._column = 0
            elif piece == "\b":
                self._column = max(0, self._column - 1)
            else:
                self._line[self._column : self._column + len(piece)] = piece
                self._column += len(piece)
        if len(self._line) > _LONGEST_LINE:
            settled.append(self.rest())
        return "".join(settled)

    def rest(self) -> str:
        """Return the line as it stands and begin a new one."""
        line = "".join(self._line)
        self._line.clear()
        self._column = 0
        return line


class _Ends:
    """The first fifth of the limit and the last four: errors stand at the end, causes above."""

    def __init__(self, spill: Spill | None, *, spills: bool) -> None:
        self._spill = spill
        self._spills = spills
        """Everything up to here is in the file."""
        self.forget()

    def forget(self) -> None:
        self._head = ""
        self._tail: deque[str] = deque()
        self._tail_length = 0
        self._length = 0

    def add(self, text: str) -> None:
        if not text:
            return
        self._length += len(text)
        room = _HEAD - len(self._head)
        self._head += text[:room]
        self._tail.append(text[room:])
        self._tail_length += len(text[room:])
        if self._spill is not None and (self._spills or self._length > LIMIT):
            self._spill.write(text if self._spills else self._head + "".join(self._tail))
            self._spills = True
        while self._tail_length - len(self._tail[0]) >= _TAIL:
            self._tail_length -= len(self._tail.popleft())

    @property
    def text(self) -> str:
        tail = "".join(self._tail)
        if self._length <= LIMIT:
            return self._head + tail
        return f"{self._head}\n[... {self._length - LIMIT} characters omitted ...]\n{tail[-_TAIL:]}"

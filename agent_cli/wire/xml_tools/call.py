"""The inside of one call: where it ends, and which part of its text is which parameter.

The rules stand in `decode.py`. The text is looked at through a window that is moved on as soon as
no tag can begin in it any more, so that the cost does not depend on how the text was cut.
"""

import re
from enum import Enum

from agent_cli.wire.xml_tools._grammar import Grammar
from agent_cli.wire.xml_tools.parameters import VERBATIM, arguments

LONGEST_CALL = 8 * 1024 * 1024
"""Characters."""


class Status(Enum):
    OPEN = "open"
    DONE = "done"
    BROKEN = "broken"
    """The Markdown fence around the call was closed before the call was, or it is too long."""


class _Values:
    """Which parameters have been given, and where in the call's text their values are."""

    def __init__(self) -> None:
        self.spans: dict[str, tuple[int, int]] = {}  # in the order they were closed
        self._open = ""
        self._start = 0

    def open(self, name: str, start: int) -> None:
        self._open, self._start = name, start

    def closable(self) -> tuple[str, ...]:
        """Return the parameters whose closing tag may end their value from here on."""
        return (self._open, *(name for name in self.spans if name in VERBATIM))

    def barred_after(self, name: str) -> frozenset[str]:
        """Return the parameters that cannot follow this one: their tags are its text."""
        given = self._before(name)
        return given | {name} if name in VERBATIM else given & VERBATIM

    def close(self, name: str, end: int) -> None:
        """End a value. If it had ended before, what came since was part of it."""
        start = self._start if name == self._open else self.spans[name][0]
        kept = self._before(name) - {name}
        self.spans = {other: span for other, span in self.spans.items() if other in kept}
        self.spans[name] = (start, end)

    def _before(self, name: str) -> frozenset[str]:
        names = list(self.spans)
        return frozenset(names if name == self._open else names[: names.index(name)])


class CallScanner:
    """Reads one call, from the end of its opening tag on."""

    def __init__(self, grammar: Grammar) -> None:
        self.status = Status.OPEN
        self._grammar = grammar
        self._pieces = [f"<{grammar.tool}>"]
        self._window = ""
        self._base = len(self._pieces[0])  # where the window begins in the call's text
        self._read = self._read_beginning
        self._values = _Values()
        self._closing = ("", 0)
        self._inner_calls = 0
        self._ends = 0
        self._end = 0

    @property
    def name(self) -> str:
        return self._grammar.tool

    @property
    def size(self) -> int:
        return self._base + len(self._window)

    @property
    def rest(self) -> str:
        """What has been fed after the end of the call, or after the place where it broke off."""
        return self._window

    @property
    def text(self) -> str:
        """The opening tag and all that has been fed."""
        return "".join(self._pieces)

    @property
    def raw(self) -> str:
        """The text without the rest: the call's own text, once it is done."""
        return self.text[: self._base]

    @property
    def arguments(self) -> str:
        raw = self.raw
        texts = {name: raw[start:end] for name, (start, end) in self._values.spans.items()}
        return arguments(self._grammar.known, texts)

    def feed(self, text: str) -> None:
        room = LONGEST_CALL - self.size
        self._pieces.append(text[:room])
        self._window += text[:room]
        while self.status is Status.OPEN and self._read():
            pass
        if len(text) > room:
            if self.status is Status.OPEN:
                self._advance(len(self._window))
                self.status = Status.BROKEN
            self._window += text[room:]

    def finish(self, tail: re.Pattern[str]) -> bool:
        """End an open call at its last possible end, if nothing but `tail` comes after that."""
        if not (self._end and tail.fullmatch(self.text, self._end)):
            return False
        self._values.close(*self._closing)
        self._window, self._base = self.text[self._end :], self._end
        self.status = Status.DONE
        return True

    def _advance(self, count: int) -> None:
        self._window = self._window[count:]
        self._base += count

    def _wait(self) -> bool:
        self._advance(max(0, len(self._window) - self._grammar.longest_tag))
        return False

    def _read_beginning(self) -> bool:
        """Between the opening tag and the first parameter, where text does not count."""
        found = self._grammar.beginning.search(self._window)
        if found is None:
            return self._wait()
        if found["fence"]:
            self._advance(found.start())
            self.status = Status.BROKEN
        elif found["end"]:
            self._advance(found.end())
            self.status = Status.DONE
        else:
            self._advance(found.end())
            self._enter(found["open"])
        return True

    def _enter(self, name: str) -> None:
        self._values.open(name, self._base)
        self._tags = self._grammar.inside(self._values.closable())
        self._read = self._read_value

    def _read_value(self) -> bool:
        found = self._tags.search(self._window)
        if found is None:
            return self._wait()
        if found["close"]:
            self._closing = (found["close"], self._base + found.start())
            self._read = self._read_after
        else:
            self._inner_calls += 1
        self._advance(found.end())
        return True

    def _read_after(self) -> bool:
        """After a closing tag, which counts only if the right tag follows."""
        found = self._grammar.after.match(self._window)
        if found is None:
            if self._grammar.could_follow.fullmatch(self._window):
                return False
            self._read = self._read_value
        elif found["fence"]:
            self._break_off(found)
        elif found["foreign"]:
            self._advance(found.end())
        elif found["end"]:
            self._advance(found.end())
            self._meet_end()
        elif found["open"] not in self._values.barred_after(self._closing[0]):
            self._advance(found.end())
            self._values.close(*self._closing)
            self._enter(found["open"])
        else:
            self._read = self._read_value
        return True

    def _break_off(self, found: re.Match[str]) -> None:
        if "\n" in found.group():
            self.status = Status.BROKEN
        else:
            self._read = self._read_value

    def _meet_end(self) -> None:
        self._ends += 1
        self._end = self._base
        self._read = self._read_value
        if self._ends > self._inner_calls:
            self._values.close(*self._closing)
            self.status = Status.DONE

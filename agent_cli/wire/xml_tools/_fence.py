"""A Markdown fence that may hold a call and nothing else; till that is known it is held back."""

import functools
import re
from collections.abc import Callable

from agent_cli.wire.xml_tools._grammar import SPACE, Catalogue
from agent_cli.wire.xml_tools.call import CallScanner, Status

_GAP = re.compile(SPACE)
_SPACES = r"[ \t\r]{0,80}"


@functools.cache
def _ends(mark: str) -> tuple[re.Pattern[str], re.Pattern[str], re.Pattern[str]]:
    """Match the closing line; what could become one; what may follow at the end of the message."""
    closing = rf"{SPACE}{mark[0]}{{{len(mark)},40}}{_SPACES}"
    begun = rf"{SPACE}{mark[0]}{{0,40}}{_SPACES}"
    return re.compile(rf"{closing}\n"), re.compile(begun), re.compile(rf"\s*|{closing}\s*")


class Fence:
    """Reads a fence, from the end of its opening line on."""

    def __init__(self, opener: str, mark: str, catalogue: Catalogue) -> None:
        self.mark = mark
        self.status = Status.OPEN
        """Done when the fence has been closed, broken when it holds anything but one call."""
        self.held = opener
        """What has been read; once broken, the rest is text of the fence, to be read by others."""
        self.rest = ""
        self.call: CallScanner | None = None
        self._catalogue = catalogue
        self._read: Callable[[], bool] = self._read_start
        self._closed, self._could_close, self._tail = _ends(mark)

    def feed(self, text: str) -> None:
        self.rest += text
        while self.status is Status.OPEN and self._read():
            pass

    def finish(self, *, cut: bool) -> None:
        """End the message, and with it the fence, unless the model would have gone on."""
        call = self.call
        if call is not None and call.status is Status.OPEN and not cut:
            done = call.finish(self._tail)
        else:
            done = call is not None and not cut and bool(self._tail.fullmatch(self.rest))
        self.status = Status.DONE if done else Status.BROKEN

    @property
    def text(self) -> str:
        """The whole fence as it was read."""
        is_open = self.call is not None and self.call.status is Status.OPEN
        return self.held + (self.call.text if self.call and is_open else "") + self.rest

    def _read_start(self) -> bool:
        space = _GAP.match(self.rest)
        start = space.end() if space else 0
        inside = self.rest[start:]
        for name, tag in zip(self._catalogue.names, self._catalogue.tags, strict=True):
            if inside.startswith(tag):
                self.held += self.rest[:start]
                self.rest = inside.removeprefix(tag)
                self.call = CallScanner(self._catalogue.grammar(name, self.mark))
                self._read = self._read_call
                return True
        if any(tag.startswith(inside) for tag in self._catalogue.tags):
            return False
        self.status = Status.BROKEN
        return True

    def _read_call(self) -> bool:
        call = self.call
        assert call is not None
        call.feed(self.rest)
        self.rest = ""
        if call.status is Status.OPEN:
            return False
        self.held += call.raw
        self.rest = call.rest
        self._read = self._read_end
        if call.status is Status.BROKEN:
            self.status = Status.BROKEN
        return True

    def _read_end(self) -> bool:
        if self._closed.match(self.rest):
            self.status = Status.DONE
        elif self._could_close.fullmatch(self.rest):
            return False
        else:
            self.status = Status.BROKEN
        return True

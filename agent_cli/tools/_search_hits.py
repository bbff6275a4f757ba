"""What a search engine reports, line by line in JSON, grouped and shown.

The engine is believed only as to where: a line is shown if it stands there in what the gate has
read, since the engine may have followed a link that was put in the file's place meanwhile.
"""

import base64
import os
from collections.abc import Callable

import msgspec
from msgspec import Struct

LIMIT = 300
"""Groups of adjacent lines in one result."""
LONGEST_LINE = 500
MOST_LINES = 3 * LIMIT
"""A match with the lines around it, so many times: one group can be as long as a file."""


class Chunk(Struct, frozen=True, omit_defaults=True):
    """Text, or bytes that are none, in base64."""

    text: str | None = None
    bytes: str | None = None


class Report(Struct, frozen=True, omit_defaults=True):
    path: Chunk = Chunk()
    lines: Chunk = Chunk()
    line_number: int | None = None
    absolute_offset: int | None = None
    """Where the line begins, in bytes of the content as UTF-8."""


class Event(Struct, frozen=True):
    type: str
    """`begin` and `end` of a file, a `match` or a line of `context` in it, or a `summary`."""
    data: Report


class _File(Struct, frozen=True):
    path: str
    groups: list[list[tuple[int, str]]]


_EVENT = msgspec.json.Decoder(Event)


class Hits:
    """Collects the groups of lines from files that may be shown, up to the limit.

    `read` returns a file's content as UTF-8, None for one that may not be shown. Whether there
    are too many does not depend on the order in which they come.
    """

    def __init__(self, read: Callable[[str], bytes | None]) -> None:
        self._read = read
        self._content = b""
        self._files: list[_File] = []
        self._current: _File | None = None
        self._pending: list[str] = []
        """The beginning of a line, in the pieces in which it came."""
        self._count = 0
        self._lines = 0
        self.is_full = False
        self._diagnostics: list[str] = []
        self.on_full: Callable[[], None] = _nothing
        """Called once there is more than will be shown."""

    @property
    def diagnostics(self) -> str:
        """What the engine printed besides its report, that is, why it could not search."""
        return "\n".join(self._diagnostics)

    def feed(self, text: str) -> None:
        """Take the next piece of the report, cut anywhere."""
        *lines, rest = text.split("\n")
        for line in lines:
            if self.is_full:
                return
            self._take("".join([*self._pending, line]))
            self._pending.clear()
        self._pending.append(rest)

    def render(self) -> str:
        """Return the result: what there is, by file, each line with its number."""
        count = self._count
        if self.is_full:
            header = f"Showing first {count} of {count}+ results: narrow the search to see others."
        else:
            header = f"Found {count} result{'' if count == 1 else 's'}."
        files = sorted(self._files, key=lambda file: by_name(file.path))
        return "\n\n".join([header, *(_render(file) for file in files if file.groups)])

    def _take(self, line: str) -> None:
        try:
            event = _EVENT.decode(line)
        except msgspec.DecodeError:
            if line.strip():
                self._diagnostics.append(line)
            return
        if event.type == "begin":
            self._begin(_path(event.data.path))
        elif self._current is None:
            return
        elif event.data.line_number is not None and self._stands(event.data):
            self._add(self._current, event.data.line_number, _line(event.data.lines))

    def _begin(self, path: str) -> None:
        content = self._read(path)
        self._current = None if content is None else _File(path, [])
        if self._current is not None:
            self._files.append(self._current)
        self._content = content or b""

    def _stands(self, report: Report) -> bool:
        line, start = _bytes(report.lines), report.absolute_offset
        return start is not None and self._content[start : start + len(line)] == line

    def _add(self, file: _File, number: int, line: str) -> None:
        begins = not file.groups or file.groups[-1][-1][0] + 1 != number
        if self._lines == MOST_LINES or (begins and self._count == LIMIT):
            self.is_full = True
            self.on_full()
            return
        if begins:
            file.groups.append([])
            self._count += 1
        file.groups[-1].append((number, line))
        self._lines += 1


def by_name(path: str) -> list[bytes]:
    """Return the key by which ripgrep sorts: names are compared one after the other."""
    return os.fsencode(path).split(b"/")


def _nothing() -> None:
    """Be the listener where nobody listens."""


def _path(chunk: Chunk) -> str:
    return os.fsdecode(_bytes(chunk)).removeprefix("./")


def _line(chunk: Chunk) -> str:
    text = _bytes(chunk).decode(errors="replace").rstrip("\r\n")
    return text if len(text) <= LONGEST_LINE else f"{text[:LONGEST_LINE]} [truncated...]"


def _bytes(chunk: Chunk) -> bytes:
    return base64.b64decode(chunk.bytes or "") if chunk.text is None else chunk.text.encode()


def _render(file: _File) -> str:
    lines = [f"# {file.path}"]
    for group in file.groups:
        lines += [f"{number:>3} | {text}".rstrip() for number, text in group]
        lines.append("----")
    return "\n".join(lines)

"""Server-sent events, both ways: bytes in any pieces to frames, and a frame to bytes.

Follows the HTML standard: lines end with CR, LF or CRLF, lines that begin with a colon are
comments, several `data` lines are joined by LF, one byte order mark may open the stream. `id` and
`retry` are ignored, since a request to a model cannot be resumed. Events without data, or with
empty data, are dropped: no wire format gives them a meaning, and some gateways send them to keep a
connection open.
"""

from agent_cli.wire.frames import Frame

BYTE_ORDER_MARK = b"\xef\xbb\xbf"
LINE_ENDS = (b"\n", b"\r")


class SseReader:
    """Reads one stream. How the bytes are cut into chunks never matters."""

    def __init__(self) -> None:
        self._line: list[bytes] = []
        self._data: list[bytes] = []
        self._event = ""
        self._at_start = True
        self._after_cr = False

    @property
    def pending(self) -> bool:
        """Whether an event was begun and not finished; at the end of a stream it is discarded."""
        unfinished = b"".join(self._line).removeprefix(BYTE_ORDER_MARK)
        return bool(self._data or self._event) or unfinished[:1] not in {b"", b":"}

    def feed(self, chunk: bytes) -> list[Frame]:
        """Return the events that are complete with this chunk."""
        frames: list[Frame] = []
        for line in self._lines(chunk):
            if line.startswith(b"data: "):
                self._data.append(line[6:])
            elif line:
                self._field(line)
            else:
                self._dispatch(frames)
        return frames

    def _lines(self, chunk: bytes) -> list[bytes]:
        if self._after_cr and chunk:
            self._after_cr = False
            chunk = chunk.removeprefix(b"\n")
        if not chunk:
            return []
        self._after_cr = chunk.endswith(b"\r")
        lines = chunk.splitlines()
        rest = b"" if chunk.endswith(LINE_ENDS) else lines.pop()
        if lines:
            if self._line:
                lines[0] = b"".join((*self._line, lines[0]))
                self._line.clear()
            if self._at_start:
                lines[0] = lines[0].removeprefix(BYTE_ORDER_MARK)
                self._at_start = False
        if rest:
            self._line.append(rest)
        return lines

    def _field(self, line: bytes) -> None:
        name, _, value = line.partition(b":")
        value = value.removeprefix(b" ")
        if name == b"data":
            self._data.append(value)
        elif name == b"event":
            self._event = value.decode("utf-8", "replace")

    def _dispatch(self, frames: list[Frame]) -> None:
        data = b"\n".join(self._data) if len(self._data) != 1 else self._data[0]
        if data:
            frames.append(Frame(data, self._event))
        self._data.clear()
        self._event = ""


def write_event(frame: Frame) -> bytes:
    """Write one event, ready to be sent."""
    lines = frame.data.replace(b"\r\n", b"\n").replace(b"\r", b"\n").split(b"\n")
    name = b"event: %b\n" % frame.event.encode() if frame.event else b""
    return name + b"".join(b"data: %b\n" % line for line in lines) + b"\n"

"""A stream of events, cut without a byte being changed."""

import re
from collections.abc import Iterator

from agent_cli.proxy.dialects.base import StreamCutError
from agent_cli.wire.frames import Frame
from agent_cli.wire.sse import SseReader

_BLANK_LINE = re.compile(rb"\r\n\r\n|\n\n|\r\r")
_LONGEST_FRAME = 64 * 1024 * 1024


class RawFrames:
    """Cuts a stream into its events, each with its very bytes."""

    def __init__(self) -> None:
        self._rest = b""

    def feed(self, chunk: bytes) -> Iterator[tuple[bytes, Frame | None]]:
        """Yield what is complete; a comment is no frame. Raises StreamCutError."""
        data = self._rest + chunk
        start = 0
        seen = max(
            len(self._rest) - 3, 0
        )  # a blank line may have begun there, and none ends before
        for found in _BLANK_LINE.finditer(data, seen):
            raw = data[start : found.end()]
            start = found.end()
            yield raw, _frame(raw)
        self._rest = data[start:]
        if len(self._rest) > _LONGEST_FRAME:
            raise StreamCutError("the upstream's stream has an event without an end")


def _frame(raw: bytes) -> Frame | None:
    """Return the event; most have one line of data, perhaps after one with their name."""
    lines = raw.split(b"\n")
    data = lines[-3] if len(lines) > 2 else b""  # noqa: PLR2004 - two line ends come last
    if data.startswith(b"data: ") and len(data) > len(b"data: ") and b"\r" not in raw:
        if len(lines) == 3:  # noqa: PLR2004 - as above
            return Frame(data[6:])
        if len(lines) == 4 and lines[0].startswith(b"event: "):  # noqa: PLR2004 - as above
            return Frame(data[6:], lines[0][7:].decode("utf-8", "replace"))
    frames = SseReader().feed(raw)
    return frames[0] if frames else None

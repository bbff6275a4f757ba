"""What is read of an answer that is only passed on: its id and tokens, and who has sealed what."""

from typing import Any

import msgspec

from agent_cli.proxy.dialects.base import Fields, StreamCutError
from agent_cli.proxy.dialects.dialect import Dialect
from agent_cli.proxy.dialects.shapes import mapping, words
from agent_cli.proxy.dialects.turns import Turn, View
from agent_cli.proxy.raw_frames import RawFrames
from agent_cli.types.errors import WireError

_USAGE = b'"usage"'


class Overheard:
    """Hears the pieces of one answer as they pass, and changes none."""

    def __init__(self, *, streams: bool, limit: int) -> None:
        """Keep up to so many bytes, of a whole answer or of one of which all is wanted."""
        self._streams = streams
        self._limit = limit
        self._frames = RawFrames()
        self._kept = bytearray()
        self.size = 0
        self.usage: dict[str, Any] = {}
        self.response = ""
        """The id by which the upstream may have stored it."""

    def hear(self, piece: bytes) -> None:
        """Take a piece; an empty one is the end."""
        self.size += len(piece)
        if len(self._kept) < self._limit:
            self._kept += piece
        if not self._streams:
            if not piece:
                self._note(bytes(self._kept))
            return
        try:
            frames = [raw for raw, _ in self._frames.feed(piece)]
        except StreamCutError:
            self._streams = False
            return
        for raw in frames:
            if _USAGE in raw:
                self._note(raw.partition(b"data:")[2])

    def turn(self, dialect: Dialect, asked: Fields) -> Turn | None:
        """Return the whole reply, if that is what it was."""
        try:
            if not self._streams:
                return dialect.read(bytes(self._kept))
            stream = dialect.stream(asked, View())
            stream.begin_round()
            for raw, frame in RawFrames().feed(bytes(self._kept)):
                stream.feed(raw, frame)
            return stream.turn()
        except (WireError, StreamCutError):
            return None

    def _note(self, data: bytes) -> None:
        """Take the usage, wherever a dialect has it; what comes later corrects what came before."""
        try:
            event = mapping(msgspec.json.decode(data))
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            return
        for holder in (event, mapping(event.get("message")), mapping(event.get("response"))):
            self.response = words(holder.get("id")) or self.response
            said = mapping(holder.get("usage"))
            self.usage |= {name: value for name, value in said.items() if value is not None}

"""A transport that writes what another one brings to a cassette, without the user's secrets."""

from collections.abc import AsyncGenerator
from contextlib import aclosing
from pathlib import Path

from agent_cli.providers.base import Transport
from agent_cli.providers.cassette import CassetteWriter
from agent_cli.types.errors import ProviderError
from agent_cli.types.events import ReasoningDelta, TextDelta, ToolCallDelta
from agent_cli.types.redaction import Redactor
from agent_cli.wire.codec import Codec, StreamDecoder
from agent_cli.wire.frames import Frame


class RecordingTransport:
    """Makes the cassette, readable to the user only. A stream that is cut is recorded as far."""

    def __init__(
        self, inner: Transport, codec: Codec, path: Path, model: str, redactor: Redactor
    ) -> None:
        self._inner = inner
        self._codec = codec
        self._writer = CassetteWriter(path, codec.NAME, model)
        self._redactor = redactor

    async def send(self, body: bytes) -> AsyncGenerator[Frame, None]:
        """See `Transport.send`."""
        messages = len(self._codec.decode_request(body).messages)
        harmless = _Harmless(self._codec.decoder(), self._redactor)
        async with aclosing(self._inner.send(body)) as frames:
            begun = False
            async for frame in frames:
                if not begun:  # a request that was refused has nothing to replay
                    self._writer.begin(body, messages)
                    begun = True
                for sure in harmless.feed(frame):
                    self._writer.add(sure)
                yield frame
            for last in harmless.held:
                self._writer.add(last)

    async def close(self) -> None:
        self._writer.close()
        await self._inner.close()


class _Harmless:
    """Leaves out the frames in which a secret stands, and all over which it is spread."""

    def __init__(self, decoder: StreamDecoder, redactor: Redactor) -> None:
        self.held: list[Frame] = []
        """They may hold the beginning of a secret."""
        self._decoder = decoder
        self._redactor = redactor
        self._said = ""

    def feed(self, frame: Frame) -> list[Frame]:
        """Return the frames that are sure by now."""
        if not self._redactor:
            return [frame]
        self.held.append(frame)
        said = self._said + self._text(frame)
        found = self._redactor.finds(frame.data) or self._redactor.text(said) != said
        length = 0 if found else self._redactor.held_back(said)
        self._said = said[len(said) - length :]
        if length:
            return []
        sure, self.held = [] if found else self.held, []
        return sure

    def _text(self, frame: Frame) -> str:
        """Return what the frame says to people, an error as well."""
        try:
            deltas = self._decoder.decode(frame)
        except ProviderError as error:
            return str(error)
        said = [one.text for one in deltas if isinstance(one, TextDelta | ReasoningDelta)]
        return "".join(said + [one.arguments for one in deltas if isinstance(one, ToolCallDelta)])

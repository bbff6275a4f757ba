"""A transport that writes what another one brings to a cassette."""

from collections.abc import AsyncGenerator
from contextlib import aclosing
from pathlib import Path

from agent_cli.providers.base import Transport
from agent_cli.providers.cassette import CassetteWriter
from agent_cli.wire.codec import Codec
from agent_cli.wire.frames import Frame


class RecordingTransport:
    """Makes the cassette, readable to the user only. A stream that is cut is recorded as far."""

    def __init__(self, inner: Transport, codec: Codec, path: Path, model: str) -> None:
        self._inner = inner
        self._codec = codec
        self._writer = CassetteWriter(path, codec.NAME, model)

    async def send(self, body: bytes) -> AsyncGenerator[Frame, None]:
        """See `Transport.send`."""
        messages = len(self._codec.decode_request(body).messages)
        async with aclosing(self._inner.send(body)) as frames:
            begun = False
            async for frame in frames:
                if not begun:  # a request that was refused has nothing to replay
                    self._writer.begin(body, messages)
                    begun = True
                self._writer.add(frame)
                yield frame

    async def close(self) -> None:
        self._writer.close()
        await self._inner.close()

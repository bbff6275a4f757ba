"""The thin transport: HTTP/1.1 over asyncio and h11, one request at a time.

It starts in a tenth of the time the vendors' clients need, and cancels at once. Redirects are not
followed: the key goes to the host that the user named, and to no other.
"""

import asyncio
from collections.abc import AsyncGenerator
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import h11

from agent_cli.network.connection import (
    Connection,
    authority_of,
    connect,
    credentials,
)
from agent_cli.providers.base import Endpoint
from agent_cli.providers.refusals import (
    LONGEST_REFUSAL,
    cut,
    refusal,
    stalled,
    streams,
    unreachable,
    untrusted,
)
from agent_cli.types.errors import Fault, ProviderError
from agent_cli.wire.frames import Frame
from agent_cli.wire.sse import SseReader

if TYPE_CHECKING:
    import ssl


class DirectTransport:
    """Sends requests to one endpoint and keeps its connection between them."""

    def __init__(self, endpoint: Endpoint, path: str, headers: tuple[tuple[str, str], ...]) -> None:
        self._url = urlsplit(endpoint.base_url)
        self._endpoint = endpoint
        self._headers = headers
        query = f"?{self._url.query}" if self._url.query else ""
        self._target = f"{self._url.path.rstrip('/')}{path}{query}"
        self._kept: Connection | None = None
        self._context: ssl.SSLContext | None = None

    async def send(self, body: bytes) -> AsyncGenerator[Frame, None]:
        """See `Transport.send`."""
        connection, response = await self._answer(body)
        ended = False
        try:
            await self._accept(connection, response)
            events = SseReader()
            while (chunk := await self._read(connection)) is not None:
                for frame in events.feed(chunk):
                    yield frame
            ended = True
        finally:
            if ended and connection.idle:
                self._kept = connection
            else:
                connection.abort()

    async def close(self) -> None:
        kept, self._kept = self._kept, None
        if kept is not None:
            await kept.close()

    async def _answer(self, body: bytes) -> tuple[Connection, h11.Response]:
        """Return the head of the answer and the connection it came on."""
        kept, self._kept = self._kept, None
        if kept is not None and not kept.idle:
            kept.abort()
        elif kept is not None:
            try:
                return kept, await self._ask(kept, body)
            except ProviderError as error:
                # The server may have closed it while it was idle; then it never saw the request.
                if kept.answered or error.fault is not Fault.UNREACHABLE:
                    raise
        connection = await self._connect()
        return connection, await self._ask(connection, body)

    async def _connect(self) -> Connection:
        limit = self._endpoint.connect_timeout
        url = self._endpoint.base_url
        try:
            async with asyncio.timeout(limit):
                return await connect(self._url, self._endpoint.proxy, self._tls())
        except TimeoutError as error:
            raise unreachable(url, f"no connection within {limit:g} s") from error
        except (OSError, h11.RemoteProtocolError) as error:
            if type(error).__name__ == "SSLCertVerificationError":  # spares the import of ssl
                raise untrusted(url, str(error)) from error
            raise unreachable(url, str(error)) from error

    async def _ask(self, connection: Connection, body: bytes) -> h11.Response:
        limit = self._endpoint.stall_timeout
        try:
            async with asyncio.timeout(limit):
                return await connection.request(self._request(body), body)
        except BaseException as error:
            connection.abort()
            if isinstance(error, TimeoutError):
                raise stalled(limit) from error
            if isinstance(error, OSError | h11.RemoteProtocolError):
                raise unreachable(self._endpoint.base_url, f"no answer: {error}") from error
            raise

    async def _read(self, connection: Connection) -> bytes | None:
        limit = self._endpoint.stall_timeout
        try:
            async with asyncio.timeout(limit):
                return await connection.read()
        except TimeoutError as error:
            raise stalled(limit) from error
        except (OSError, h11.RemoteProtocolError) as error:
            raise cut(str(error)) from error

    async def _accept(self, connection: Connection, response: h11.Response) -> None:
        """Raise what a refusal means."""
        headers = {
            name.decode("latin-1"): value.decode("latin-1") for name, value in response.headers
        }
        if streams(response.status_code, headers):
            return
        body = b""
        while len(body) < LONGEST_REFUSAL and (chunk := await self._read(connection)) is not None:
            body += chunk
        raise refusal(self._endpoint.base_url, response.status_code, headers, body)

    def _request(self, body: bytes) -> h11.Request:
        host = authority_of(self._url)
        headers = [("host", host), *self._headers, ("content-length", str(len(body)))]
        target = self._target
        if self._endpoint.proxy and self._url.scheme == "http":
            target = f"http://{host}{target}"
            headers += credentials(urlsplit(self._endpoint.proxy))
        return h11.Request(method="POST", target=target, headers=headers)

    def _tls(self) -> "ssl.SSLContext | None":
        if self._url.scheme != "https":
            return None
        if self._context is None:
            import ssl  # noqa: PLC0415 - certificates take 15 ms to load, and a local server has none

            self._context = ssl.create_default_context()
        return self._context

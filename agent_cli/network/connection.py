"""One HTTP/1.1 connection: opened, perhaps through a proxy, used, and used again when idle."""

import asyncio
import contextlib
from base64 import b64encode
from typing import TYPE_CHECKING
from urllib.parse import SplitResult, unquote, urlsplit

import h11

from agent_cli.network.proxies import port_of

if TYPE_CHECKING:
    import ssl

CHUNK = 65_536
HAPPY_EYEBALLS = 0.25
"""Seconds before the host's next address is tried as well."""


class Connection:
    """Owns a socket. `abort` is immediate and may be called at any time, more than once."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer
        self._http = h11.Connection(h11.CLIENT)
        self._ahead: h11.Event | None = None
        self.answered = False
        """Whether a byte of the answer to the present request has arrived."""

    @property
    def idle(self) -> bool:
        """Whether another request can be sent, as far as one can know without sending it."""
        unused = self._http.our_state is h11.IDLE
        return unused and not self._reader.at_eof() and not self._writer.is_closing()

    async def request(self, request: h11.Request, body: bytes = b"") -> h11.Response:
        """Send, and return the head of the answer."""
        self.answered = False
        parts = (request, h11.Data(data=body), h11.EndOfMessage())
        self._writer.write(b"".join(self._http.send(part) or b"" for part in parts))
        await self._writer.drain()
        event = await self._event()
        while not isinstance(event, h11.Response):  # 1xx comes before it
            event = await self._event()
        return event

    async def read(self) -> bytes | None:
        """Return the next piece of the answer; None at its end.

        After that the connection is idle, if the server keeps it.
        """
        event = await self._event()
        if isinstance(event, h11.Data):
            return self._with_more(event)
        if self._http.our_state is self._http.their_state is h11.DONE:
            self._http.start_next_cycle()
        return None

    def _with_more(self, event: h11.Data) -> bytes:
        """Return its data with all that has come already: each piece costs those who wait."""
        pieces = [bytes(event.data)]
        with contextlib.suppress(h11.RemoteProtocolError):  # it is raised again by the next look
            while isinstance(more := self._http.next_event(), h11.Data):
                pieces.append(bytes(more.data))
            self._ahead = more if isinstance(more, h11.Event) else None
        return b"".join(pieces)

    async def start_tls(self, context: "ssl.SSLContext", host: str) -> None:
        """Speak TLS with whoever is behind the tunnel that a CONNECT has opened."""
        await self._writer.start_tls(context, server_hostname=host)
        self._http = h11.Connection(h11.CLIENT)

    def abort(self) -> None:
        self._writer.transport.abort()

    async def close(self) -> None:
        self._writer.close()
        with contextlib.suppress(OSError):  # it breaks while it is thrown away
            await self._writer.wait_closed()

    async def _event(self) -> h11.Event:
        while True:
            ahead, self._ahead = self._ahead, None
            event = ahead or self._http.next_event()
            if isinstance(event, h11.Event):
                return event
            if event is not h11.NEED_DATA:
                raise h11.RemoteProtocolError("the server does not speak HTTP/1.1 any more")
            data = await self._reader.read(CHUNK)
            self.answered = self.answered or bool(data)
            self._http.receive_data(data)


async def connect(
    url: SplitResult, proxy: str, context: "ssl.SSLContext | None", address: str = ""
) -> Connection:
    """Open a connection to the URL's host; the context is there if and only if it is https.

    With an `address`, that is where the host is, and nobody is asked for another. Raises OSError
    or h11.RemoteProtocolError.
    """
    if not proxy:
        return await _open(url, context, address)
    via = urlsplit(proxy)
    connection = await _open(via, None)
    if context is None:
        return connection
    try:
        await _open_tunnel(connection, url, via)
        await connection.start_tls(context, url.hostname or "")
    except BaseException:
        connection.abort()
        raise
    return connection


async def _open_tunnel(connection: Connection, url: SplitResult, via: SplitResult) -> None:
    authority = authority_of(url, with_port=True)
    headers = [("host", authority), *credentials(via)]
    response = await connection.request(
        h11.Request(method="CONNECT", target=authority, headers=headers)
    )
    if response.status_code // 100 != 2:  # noqa: PLR2004 - HTTP: success
        reason = response.reason.decode("latin-1")
        raise ConnectionError(f"the proxy says {response.status_code} {reason}".rstrip())


async def _open(
    url: SplitResult, context: "ssl.SSLContext | None", address: str = ""
) -> Connection:
    reader, writer = await asyncio.open_connection(
        address or url.hostname,
        port_of(url),
        ssl=context,
        server_hostname=url.hostname if context else None,
        happy_eyeballs_delay=HAPPY_EYEBALLS,
    )
    return Connection(reader, writer)


def authority_of(url: SplitResult, *, with_port: bool = False) -> str:
    """Return host and port without user and password; the scheme's own port only if asked for."""
    authority = url.netloc.rpartition("@")[2]
    return f"{authority}:{port_of(url)}" if with_port and url.port is None else authority


def credentials(proxy: SplitResult) -> list[tuple[str, str]]:
    """Return the header that identifies us to the proxy, if its URL has a user."""
    if not proxy.username:
        return []
    pair = f"{unquote(proxy.username)}:{unquote(proxy.password or '')}"
    return [("proxy-authorization", f"Basic {b64encode(pair.encode()).decode()}")]

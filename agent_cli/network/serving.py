"""An HTTP/1.1 server: requests of bounded size and number in, whole or streamed answers out.

A client that goes away is noticed at once, and what was being done for it is cancelled. Whoever
sends nothing, or nothing whole, for too long is cut off.
"""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from typing import TypeAlias, cast

import h11
from msgspec import Struct

from agent_cli.network.patience import Patience

_HEADERS = 64 * 1024
"""Bytes of a request's head."""
_AHEAD = 64 * 1024
"""Bytes of further requests that may come while one is answered."""
_IDLE = 75.0
"""Seconds that a connection is kept without a request."""
_SLOW = 120.0
"""Seconds within which a request has to be there, once it has begun."""
_LINGER = 2.0
"""Seconds in which a client that was refused may see it, and what it still sends is passed over."""

Headers: TypeAlias = Mapping[str, str]


class Request(Struct, frozen=True):
    method: str
    target: str
    headers: dict[str, str]
    """Names in lower case; of several of one name the first counts."""
    body: bytes

    @property
    def path(self) -> str:
        return self.target.partition("?")[0]


class Bounds(Struct, frozen=True):
    body: int
    requests: int
    """At the same time."""


Handler: TypeAlias = Callable[["Request", "Reply"], Awaitable[None]]
Refuse: TypeAlias = Callable[[int, str, Headers], tuple[bytes, Headers]]
"""Makes body and headers of a refusal, by its status and the words for it."""


class Reply:
    """The answer to one request: one whole, or the beginning, pieces and the end of a stream."""

    def __init__(self, connection: "_Connection", *, chunks: bool) -> None:
        """With `chunks`, pieces are framed here: a state machine for each of them costs more."""
        self._connection = connection
        self._chunks = chunks
        self.begun = False
        self.ended = False
        self.status = 0
        """What the client was told; 0 if nothing."""

    async def whole(self, status: int, headers: Headers, body: bytes) -> None:
        fields = [*headers.items(), ("content-length", str(len(body)))]
        self.begun = self.ended = True
        self.status = status
        await self._connection.send(_head(status, fields), h11.Data(data=body), h11.EndOfMessage())

    async def begin(self, status: int, headers: Headers) -> None:
        self.begun = True
        self.status = status
        await self._connection.send(
            _head(status, [*headers.items(), ("transfer-encoding", "chunked")])
        )

    async def write(self, data: bytes) -> None:
        if data:
            await self._connection.send(
                b"%x\r\n%b\r\n" % (len(data), data) if self._chunks else h11.Data(data=data)
            )

    async def end(self) -> None:
        self.ended = True
        await self._connection.send(h11.EndOfMessage())

    def abort(self) -> None:
        """Cut the stream off, so that the client sees that it is not whole."""
        self._connection.abort()


def _head(status: int, headers: list[tuple[str, str]]) -> h11.Response:
    written = [(name.encode("latin-1"), value.encode("latin-1")) for name, value in headers]
    return h11.Response(status_code=status, headers=written)


class HttpServer:
    """Answers requests with the handler until it is drained."""

    def __init__(self, handler: Handler, refuse: Refuse, bounds: Bounds) -> None:
        self.handler = handler
        self.refuse = refuse
        self.bounds = bounds
        self.draining = False
        self.running: set[asyncio.Task[None]] = set()
        self.connections: set[_Connection] = set()
        self._server: asyncio.Server | None = None

    async def start(self, host: str, port: int) -> int:
        """Listen; return the port. Raises OSError."""
        loop = asyncio.get_running_loop()
        self._server = await loop.create_server(lambda: _Connection(self), host, port, backlog=1024)
        return int(self._server.sockets[0].getsockname()[1])

    async def drain(self, seconds: float) -> None:
        """Take no more requests, let those that are there end, and cut off what is too slow."""
        self.draining = True
        if self._server is not None:
            self._server.close()
        for connection in list(self.connections):
            connection.close_if_idle()
        if self.running:
            await asyncio.wait(self.running, timeout=seconds)
        for task in self.running:
            task.cancel()
        if self.running:
            await asyncio.wait(self.running)
        for connection in list(self.connections):
            connection.abort()


class _Connection(asyncio.Protocol):
    def __init__(self, server: HttpServer) -> None:
        self._server = server
        self._http = h11.Connection(h11.SERVER, max_incomplete_event_size=_HEADERS)
        self._loop = asyncio.get_running_loop()
        self._head: h11.Request | None = None
        self._body = bytearray()
        self._task: asyncio.Task[None] | None = None
        self._ahead = 0
        self._receiving = self._refused = False
        self._writable = asyncio.Event()
        self._writable.set()
        self._patience = Patience()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast("asyncio.Transport", transport)
        self._server.connections.add(self)
        self._patience.wait(_IDLE, self._transport.close)

    def connection_lost(self, exc: Exception | None) -> None:
        self._server.connections.discard(self)
        self._writable.set()
        self._patience.stop()
        if self._task is not None:
            self._task.cancel()

    def pause_writing(self) -> None:
        self._writable.clear()

    def resume_writing(self) -> None:
        self._writable.set()

    def data_received(self, data: bytes) -> None:
        if self._task is not None:
            self._ahead += len(data)
            if self._ahead > _AHEAD:
                self.abort()
                return
        elif self._refused:
            return
        elif not self._receiving:
            self._receiving = True
            self._patience.wait(_SLOW, self._transport.close)
        self._http.receive_data(data)
        if self._task is None:
            self._advance()

    def abort(self) -> None:
        self._transport.abort()

    def close_if_idle(self) -> None:
        if self._task is None:
            self._transport.close()

    async def send(self, *events: h11.Event | bytes) -> None:
        if self._transport.is_closing():
            raise ConnectionResetError("the client has gone")
        self._transport.write(b"".join(_bytes(self._http, event) for event in events))
        await self._writable.wait()

    def _advance(self) -> None:
        try:
            while self._task is None and not self._refused:
                event = self._http.next_event()
                if event is h11.NEED_DATA or event is h11.PAUSED:
                    return
                if isinstance(event, h11.ConnectionClosed):
                    self._transport.close()
                    return
                self._take(cast("h11.Event", event))
        except h11.RemoteProtocolError as error:
            self._refuse(error.error_status_hint, str(error))

    def _take(self, event: h11.Event) -> None:
        match event:
            case h11.Request():
                self._head = event
                self._body.clear()
                if _length(event) > self._server.bounds.body:
                    self._refuse(413, self._too_large())
                elif self._http.they_are_waiting_for_100_continue:
                    go_on = h11.InformationalResponse(status_code=100, headers=[])
                    self._transport.write(self._http.send(go_on) or b"")
            case h11.Data():
                self._body += event.data
                if len(self._body) > self._server.bounds.body:
                    self._refuse(413, self._too_large())
            case h11.EndOfMessage():
                self._patience.stop()
                self._receiving = False
                self._begin()
            case _:
                pass

    def _too_large(self) -> str:
        return f"the request is larger than {self._server.bounds.body} bytes"

    def _begin(self) -> None:
        if len(self._server.running) >= self._server.bounds.requests:
            self._refuse(503, "too many requests at the same time", {"retry-after": "1"})
            return
        head = self._head
        assert head is not None
        request = _request(head, bytes(self._body))
        self._body.clear()
        self._head = None
        self._task = self._loop.create_task(self._answer(request))
        self._server.running.add(self._task)
        self._task.add_done_callback(self._answered)

    async def _answer(self, request: Request) -> None:
        reply = Reply(self, chunks=self._http.their_http_version == b"1.1")
        with suppress(ConnectionError):
            await self._server.handler(request, reply)

    def _answered(self, task: "asyncio.Task[None]") -> None:
        self._server.running.discard(task)
        self._task, self._ahead = None, 0
        if not task.cancelled() and (error := task.exception()) is not None:
            self.abort()
            self._loop.call_exception_handler({"message": "no answer", "exception": error})
            return
        done = self._http.our_state is h11.DONE and self._http.their_state is h11.DONE
        if self._transport.is_closing() or not done or self._server.draining:
            self._transport.close()
            return
        self._http.start_next_cycle()
        self._patience.wait(_IDLE, self._transport.close)
        self._advance()

    def _refuse(self, status: int, why: str, more: Headers | None = None) -> None:
        """Answer without the handler, and close: what is still to come is not read."""
        known = _request(self._head, b"").headers if self._head else {}
        body, said = self._server.refuse(status, why, known)
        fields = [*said.items(), *(more or {}).items(), ("connection", "close")]
        fields.append(("content-length", str(len(body))))
        if self._http.our_state in (h11.IDLE, h11.SEND_RESPONSE):
            parts = (_head(status, fields), h11.Data(data=body), h11.EndOfMessage())
            self._transport.write(b"".join(self._http.send(part) or b"" for part in parts))
        self._refused = True
        if self._transport.can_write_eof():
            self._transport.write_eof()
        self._patience.wait(
            _LINGER, self._transport.close
        )  # closing at once, while more comes, would take the answer away


def _request(head: h11.Request, body: bytes) -> Request:
    headers: dict[str, str] = {}
    for name, value in head.headers:
        headers.setdefault(name.decode("latin-1"), value.decode("latin-1"))
    return Request(head.method.decode("latin-1"), head.target.decode("latin-1"), headers, body)


def _bytes(http: h11.Connection, event: h11.Event | bytes) -> bytes:
    return event if isinstance(event, bytes) else http.send(event) or b""


def _length(head: h11.Request) -> int:
    for name, value in head.headers:
        if name == b"content-length":
            return int(value)
    return 0

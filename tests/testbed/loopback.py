"""A server on the loopback that gives prepared answers, broken ones too, and keeps the requests."""

import asyncio
from collections.abc import Coroutine, Generator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from threading import Thread
from typing import Any, Self


@dataclass(frozen=True)
class Answer:
    """One response. `end` says what follows the chunks: `clean`, `cut` or `stall`."""

    chunks: tuple[bytes, ...] = ()
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    end: str = "clean"
    framing: str = "chunked"
    """`chunked`, `length`, or `close`: the body ends with the connection."""
    before: bytes = b""
    """Sent before the response."""


CLOSED = "closed"
"""The connection is closed without an answer."""
SILENT = "silent"
"""There is never an answer."""


@dataclass
class Received:
    method: str
    target: str
    headers: dict[str, str]
    body: bytes
    connection: int
    gone: asyncio.Event = field(default_factory=asyncio.Event)
    """Set when the client has closed the connection during this request."""


class Loopback:
    """Gives the answers in order, to whichever connection asks."""

    def __init__(self, *answers: Answer | str) -> None:
        self.answers = list(answers)
        self.requests: list[Received] = []
        self.connections = 0
        self.asked = asyncio.Event()
        """Set with the first request."""

    async def __aenter__(self) -> Self:
        self._tasks: set[asyncio.Task[None]] = set()
        self._writers: list[asyncio.StreamWriter] = []
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0)
        self.port: int = self._server.sockets[0].getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}"
        return self

    async def __aexit__(self, *_: object) -> None:
        self._server.close()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        self.hang_up()
        await self._server.wait_closed()

    def hang_up(self) -> None:
        """Close every connection, as a server does with idle ones."""
        for writer in self._writers:
            writer.close()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        self._writers.append(writer)
        self.connections += 1
        number = self.connections
        with suppress(OSError, asyncio.IncompleteReadError, asyncio.CancelledError):
            while await self._exchange(reader, writer, number):
                pass
        writer.close()

    async def _exchange(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, number: int
    ) -> bool:
        head = (await reader.readuntil(b"\r\n\r\n")).decode()
        first, *lines = head.split("\r\n")[:-2]
        method, target, _ = first.split(" ")
        headers = {name.lower(): value for name, value in (line.split(": ", 1) for line in lines)}
        body = await reader.readexactly(int(headers.get("content-length", "0")))
        received = Received(method, target, headers, body, number)
        self.requests.append(received)
        self.asked.set()
        answer = self.answers.pop(0)
        if answer == CLOSED:
            return False
        if isinstance(answer, str):
            await self._stall(reader, received)
            return False
        return await self._answer(answer, reader, writer, received)

    async def _answer(
        self,
        answer: Answer,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
        received: Received,
    ) -> bool:
        writer.write(answer.before + _head(answer))
        for chunk in answer.chunks:
            chunked = answer.framing == "chunked"
            writer.write(b"%x\r\n%b\r\n" % (len(chunk), chunk) if chunked else chunk)
            await writer.drain()
            await asyncio.sleep(0)
        if answer.end == "stall":
            await self._stall(reader, received)
        if answer.end != "clean" or answer.framing == "close":
            return False
        if answer.framing == "chunked":
            writer.write(b"0\r\n\r\n")
        return True

    async def _stall(self, reader: asyncio.StreamReader, received: Received) -> None:
        await reader.read()
        received.gone.set()


@contextmanager
def in_background(*answers: Answer | str) -> Generator[str]:
    """Serve from a thread, for a child process; yield the URL."""
    loop = asyncio.new_event_loop()
    thread = Thread(target=loop.run_forever)
    thread.start()

    def run(work: Coroutine[Any, Any, Any]) -> None:
        asyncio.run_coroutine_threadsafe(work, loop).result()

    server = Loopback(*answers)
    try:
        run(server.__aenter__())
        yield server.url
        run(server.__aexit__())
    finally:
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.close()


def _head(answer: Answer) -> bytes:
    headers = {"content-type": "text/event-stream", **answer.headers}
    if answer.framing == "chunked":
        headers["transfer-encoding"] = "chunked"
    elif answer.framing == "length":
        headers["content-length"] = str(sum(map(len, answer.chunks)))
    else:
        headers["connection"] = "close"
    lines = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
    return f"HTTP/1.1 {answer.status} Reason\r\n{lines}\r\n".encode()


def sent(data: bytes, size: int = 0) -> tuple[bytes, ...]:
    """Return the data in chunks of the size; whole without one."""
    if not size:
        return (data,)
    return tuple(data[at : at + size] for at in range(0, len(data), size))

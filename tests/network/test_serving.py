"""The HTTP server: its limits, its clients, its end."""

import asyncio
import socket
from collections.abc import Awaitable, Callable

import pytest

from agent_cli.network.serving import Bounds, Headers, HttpServer, Reply, Request

Handler = Callable[[Request, Reply], Awaitable[None]]


def refuse(status: int, why: str, headers: Headers) -> tuple[bytes, Headers]:
    return f"{status} {why}".encode(), {"content-type": "text/plain"}


async def echo(request: Request, reply: Reply) -> None:
    await reply.whole(200, {"x-path": request.path}, request.body)


async def streamed(request: Request, reply: Reply) -> None:
    await reply.begin(200, {"content-type": "text/plain"})
    for piece in (b"one", b"", b"two"):
        await reply.write(piece)
    await reply.end()


async def exchange(port: int, data: bytes) -> bytes:
    """Send bytes, and return all that comes until the server closes."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(data)
    await writer.drain()
    answer = await reader.read()
    writer.close()
    return answer


def ask(data: bytes, handler: Handler = echo, bounds: Bounds = Bounds(1_000, 10)) -> bytes:
    async def whole() -> bytes:
        server = HttpServer(handler, refuse, bounds)
        port = await server.start("127.0.0.1", 0)
        try:
            return await exchange(port, data)
        finally:
            await server.drain(1)

    return asyncio.run(whole())


CLOSE = b"host: x\r\nconnection: close\r\n"


def test_a_request_is_answered():
    answer = ask(b"POST /a?b HTTP/1.1\r\n" + CLOSE + b"content-length: 2\r\n\r\nhi")
    assert answer.startswith(b"HTTP/1.1 200")
    assert b"x-path: /a\r\n" in answer
    assert answer.endswith(b"\r\n\r\nhi")


def test_a_stream_comes_in_chunks():
    answer = ask(b"GET / HTTP/1.1\r\n" + CLOSE + b"\r\n", streamed)
    assert answer.endswith(b"3\r\none\r\n3\r\ntwo\r\n0\r\n\r\n")


def test_requests_on_one_connection_are_answered_in_order():
    one = b"GET /1 HTTP/1.1\r\nhost: x\r\n\r\n"
    answer = ask(one + b"GET /2 HTTP/1.1\r\n" + CLOSE + b"\r\n")
    assert answer.index(b"x-path: /1") < answer.index(b"x-path: /2")


REFUSED = [
    pytest.param(b"nonsense\r\n\r\n", b"400", id="no HTTP"),
    pytest.param(b"GET / HTTP/1.1\r\n\r\n", b"400", id="no host"),
    pytest.param(b"GET / HTTP/1.1\r\nx: " + b"y" * 70_000, b"431", id="endless head"),
    pytest.param(
        b"POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 5000\r\n\r\n", b"413", id="told to be large"
    ),
    pytest.param(
        b"POST / HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\n800\r\n" + b"y" * 2_048,
        b"413",
        id="large without a word",
    ),
]


@pytest.mark.parametrize(("data", "status"), REFUSED)
def test_what_cannot_be_read_is_refused(data: bytes, status: bytes):
    assert ask(data).startswith(b"HTTP/1.1 " + status)


def test_a_client_that_asks_may_send_its_body():
    head = b"POST / HTTP/1.1\r\n" + CLOSE + b"content-length: 2\r\nexpect: 100-continue\r\n\r\n"
    answer = ask(head + b"hi")
    assert b"200" in answer


def test_more_requests_than_allowed_are_sent_away():
    async def whole() -> tuple[bytes, bytes]:
        go_on, begun = asyncio.Event(), asyncio.Event()

        async def slow(request: Request, reply: Reply) -> None:
            begun.set()
            await go_on.wait()
            await reply.whole(200, {}, b"")

        server = HttpServer(slow, refuse, Bounds(10, 1))
        port = await server.start("127.0.0.1", 0)
        get = b"GET / HTTP/1.1\r\n" + CLOSE + b"\r\n"
        first = asyncio.create_task(exchange(port, get))
        await begun.wait()
        second = await exchange(port, get)
        go_on.set()
        answer = await first
        await server.drain(1)
        return answer, second

    first, second = asyncio.run(whole())
    assert first.startswith(b"HTTP/1.1 200")
    assert second.startswith(b"HTTP/1.1 503")
    assert b"retry-after: 1" in second


def test_a_client_that_goes_away_ends_what_is_done_for_it():
    async def whole() -> None:
        begun, cancelled = asyncio.Event(), asyncio.Event()

        async def forever(request: Request, reply: Reply) -> None:
            begun.set()
            try:
                await asyncio.Event().wait()
            finally:
                cancelled.set()

        server = HttpServer(forever, refuse, Bounds(10, 10))
        port = await server.start("127.0.0.1", 0)
        _, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(b"GET / HTTP/1.1\r\nhost: x\r\n\r\n")
        await begun.wait()
        writer.close()
        await asyncio.wait_for(cancelled.wait(), 10)
        await server.drain(1)

    asyncio.run(whole())


def test_the_end_waits_for_those_that_are_there_but_not_for_ever():
    async def whole() -> bool:
        begun = asyncio.Event()

        async def forever(request: Request, reply: Reply) -> None:
            begun.set()
            await asyncio.Event().wait()

        server = HttpServer(forever, refuse, Bounds(10, 10))
        port = await server.start("127.0.0.1", 0)
        asked = asyncio.create_task(exchange(port, b"GET / HTTP/1.1\r\nhost: x\r\n\r\n"))
        await begun.wait()
        await server.drain(0.05)
        await asyncio.wait({asked})
        return not server.connections

    assert asyncio.run(whole())


def test_a_slow_reader_is_waited_for():
    async def whole() -> int:
        size = 20_000_000

        async def large(request: Request, reply: Reply) -> None:
            await reply.begin(200, {})
            for _ in range(20):
                await reply.write(b"x" * (size // 20))
            await reply.end()

        server = HttpServer(large, refuse, Bounds(10, 10))
        port = await server.start("127.0.0.1", 0)
        with socket.create_connection(("127.0.0.1", port)) as client:
            client.sendall(b"GET / HTTP/1.1\r\n" + CLOSE + b"\r\n")
            count = 0
            while piece := await asyncio.to_thread(client.recv, 1_000_000):
                count += len(piece)
        await server.drain(1)
        return count

    assert asyncio.run(whole()) > 20_000_000

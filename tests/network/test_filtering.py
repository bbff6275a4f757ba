"""The proxy that a browser is behind: who is reached through it, and who is not."""

import asyncio
from collections.abc import Awaitable, Callable

from testbed.loopback import CLOSED, SILENT, Answer, Loopback

from agent_cli.network.filtering import FilteringProxy
from agent_cli.types.errors import ToolError

Asking = Callable[[bytes], Awaitable[bytes]]


def through(
    doing: Callable[[Asking, Loopback, FilteringProxy], Awaitable[None]],
    *answers: Answer | str,
    local: bool = True,
) -> None:
    async def whole() -> None:
        proxy = FilteringProxy()
        proxy.local = local
        port = await proxy.begin()

        async def ask(data: bytes) -> bytes:
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            writer.write(data)
            answer = await reader.read()
            writer.close()
            return answer

        try:
            async with Loopback(*answers) as server:
                await doing(ask, server, proxy)
        finally:
            await proxy.close()
            await proxy.close()

    asyncio.run(whole())


PLAIN = Answer((b"hello",), framing="close")


def test_a_request_is_passed_on_without_what_is_the_proxys():
    async def doing(ask: Asking, server: Loopback, proxy: FilteringProxy) -> None:
        answer = await ask(
            f"POST {server.url}/a?b HTTP/1.1\r\nHost: h\r\nProxy-Connection: keep-alive\r\n"
            "Connection: keep-alive\r\nContent-Length: 4\r\n\r\nbody".encode()
        )
        assert answer.endswith(b"hello")
        (request,) = server.requests
        assert (request.method, request.target, request.body) == ("POST", "/a?b", b"body")
        assert request.headers == {"host": "h", "content-length": "4", "connection": "close"}
        assert proxy.refused == {}

    through(doing, PLAIN)


def test_a_tunnel_carries_whatever_comes():
    async def doing(ask: Asking, server: Loopback, proxy: FilteringProxy) -> None:
        inner = b"GET /x HTTP/1.1\r\nhost: h\r\n\r\n"
        head = f"CONNECT 127.0.0.1:{server.port} HTTP/1.1\r\n\r\n".encode()
        answer = await ask(head + inner)
        assert answer.startswith(b"HTTP/1.1 200 OK\r\n\r\nHTTP/1.1 200")
        assert answer.endswith(b"hello")

    through(doing, PLAIN)


def test_this_machine_is_refused_where_it_is_not_allowed():
    async def doing(ask: Asking, server: Loopback, proxy: FilteringProxy) -> None:
        for target in (f"GET {server.url}/a?b", f"CONNECT localhost:{server.port}"):
            answer = await ask(f"{target} HTTP/1.1\r\n\r\n".encode())
            assert answer.startswith(b"HTTP/1.1 403 Forbidden\r\n")
            assert b"allow_local = true" in answer
        assert list(proxy.refused) == [f"{server.url}/a", f"localhost:{server.port}"]
        assert server.connections == 0

    through(doing, local=False)


def test_what_is_not_wanted_is_refused_without_a_word():
    async def doing(ask: Asking, server: Loopback, proxy: FilteringProxy) -> None:
        proxy.unwanted = frozenset({"update.example"})
        for target in ("CONNECT update.example:443", "GET http://update.example/x"):
            assert b" 403 " in await ask(f"{target} HTTP/1.1\r\n\r\n".encode())
        assert proxy.refused == {}

    through(doing)


def test_what_serves_the_workspace_reaches_nobody_else():
    def serve(path: str) -> tuple[str, bytes]:
        if path != "a b":
            raise ToolError("no such file")
        return "text/x-mine", b"content"

    async def doing(ask: Asking, server: Loopback, proxy: FilteringProxy) -> None:
        proxy.serve = serve
        served = await ask(b"GET http://workspace.invalid/a%20b?x HTTP/1.1\r\n\r\n")
        assert b"Content-Type: text/x-mine\r\n" in served
        assert served.endswith(b"\r\n\r\ncontent")
        missing = await ask(b"GET http://workspace.invalid/c HTTP/1.1\r\n\r\n")
        assert b" 404 " in missing
        assert proxy.refused == {}
        for target in (
            f"GET {server.url}/",
            f"CONNECT 127.0.0.1:{server.port}",
            "CONNECT workspace.invalid:443",
        ):
            assert b" 403 " in await ask(f"{target} HTTP/1.1\r\n\r\n".encode())
        assert server.connections == 0

    through(doing)


def test_nonsense_and_dead_servers_end_the_connection():
    async def doing(ask: Asking, server: Loopback, proxy: FilteringProxy) -> None:
        assert await ask(b"nonsense\r\n\r\n") == b""
        assert await ask(b"x" * 100_000 + b"\r\n\r\n") == b""
        assert await ask(f"GET {server.url}/ HTTP/1.1\r\n\r\n".encode()) == b""
        assert await ask(b"GET http://127.0.0.1:1/ HTTP/1.1\r\n\r\n") == b""

    through(doing, CLOSED)


def test_open_connections_end_with_the_proxy():
    async def doing(ask: Asking, server: Loopback, proxy: FilteringProxy) -> None:
        tunnel = f"CONNECT 127.0.0.1:{server.port} HTTP/1.1\r\n\r\nGET / HTTP/1.1\r\n\r\n".encode()
        waiting = asyncio.ensure_future(ask(tunnel))
        await server.asked.wait()
        await proxy.close()
        assert await waiting == b"HTTP/1.1 200 OK\r\n\r\n"

    through(doing, SILENT)

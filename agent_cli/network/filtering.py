"""A proxy on the loopback that lets a program reach only hosts that it may reach.

A browser goes wherever a page sends it. Behind this proxy each of its connections is judged like
one of ours: the name is looked up once, and the connection goes to what was judged. A page from
the workspace is served from here, and reaches nobody else: it must not carry files away.
"""

import asyncio
from collections.abc import Callable, Coroutine
from contextlib import suppress
from urllib.parse import SplitResult, unquote, urlunsplit

from agent_cli.network.connection import CHUNK
from agent_cli.network.hosts import WORKSPACE, look_up, parse_url
from agent_cli.network.proxies import port_of
from agent_cli.types.errors import ToolError

_HEAD_LIMIT = 65_536
_HOP = ("proxy-", "connection:", "keep-alive:")

Serve = Callable[[str], tuple[str, bytes]]
"""Returns type and content of what a path names; raises ToolError."""


class FilteringProxy:
    """`begin` first, and `close` it. What was refused is in `refused`, by host."""

    def __init__(self) -> None:
        self.local = False
        """Whether this machine and its network may be reached."""
        self.serve: Serve | None = None
        """Serves the workspace; while there is one, nobody else is reached."""
        self.refused: dict[str, None] = {}
        self.unwanted: frozenset[str] = frozenset()
        """Hosts that are refused without a word: the program's own affairs, not the page's."""
        self._server: asyncio.Server | None = None
        self._tasks: set[asyncio.Task[None]] = set()

    async def begin(self) -> int:
        """Begin; return the port."""
        self._server = await asyncio.start_server(self._accept, "127.0.0.1", 0, limit=_HEAD_LIMIT)
        port: int = self._server.sockets[0].getsockname()[1]
        return port

    async def close(self) -> None:
        server, self._server = self._server, None
        if server is None:
            return
        server.close()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await server.wait_closed()

    async def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        broken = (OSError, ValueError, asyncio.IncompleteReadError, asyncio.LimitOverrunError)
        try:
            with suppress(*broken):
                await self._exchange(reader, writer)
        finally:
            writer.close()

    async def _exchange(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
        first, *fields = head[:-4].split("\r\n")
        method, target, _ = first.split(" ")
        tunnel = method == "CONNECT"
        try:
            url = parse_url(f"https://{target}/" if tunnel else target)
            if self.serve is not None and url.netloc == WORKSPACE and not tunnel:
                _serve(writer, self.serve, unquote(url.path.lstrip("/")))
                return
            addresses = await self._judged(url)
        except ToolError as error:
            if not self._is_unwanted(target):
                self.refused[target.partition("?")[0]] = None
            _answer(writer, "text/plain", str(error).encode(), status="403 Forbidden")
            return
        theirs, ours = await asyncio.open_connection(addresses[0], port_of(url))
        try:
            if tunnel:
                writer.write(b"HTTP/1.1 200 OK\r\n\r\n")
            else:
                ours.write(_forwarded(method, url, fields))
            await _both(_copy(reader, ours), _copy(theirs, writer))
        finally:
            ours.close()

    async def _judged(self, url: SplitResult) -> tuple[str, ...]:
        if self.serve is not None:
            raise ToolError("a page of the workspace reaches no other host")
        if url.hostname in self.unwanted:
            raise ToolError("this host is not wanted")
        return await look_up(url, local=self.local)

    def _is_unwanted(self, target: str) -> bool:
        return any(f"//{host}/" in target or f"{host}:443" == target for host in self.unwanted)


async def _both(one: Coroutine[None, None, None], other: Coroutine[None, None, None]) -> None:
    """Do both until either ends: when one side has closed, nothing more comes of the other."""
    tasks = {asyncio.ensure_future(one), asyncio.ensure_future(other)}
    try:
        await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


async def _copy(source: asyncio.StreamReader, target: asyncio.StreamWriter) -> None:
    while data := await source.read(CHUNK):
        target.write(data)
        await target.drain()


def _forwarded(method: str, url: SplitResult, fields: list[str]) -> bytes:
    """Return the head as the server gets it; one request a connection, for each is judged."""
    path = urlunsplit(("", "", url.path or "/", url.query, ""))
    kept = [field for field in fields if not field.lower().startswith(_HOP)]
    lines = [f"{method} {path} HTTP/1.1", *kept, "Connection: close", "", ""]
    return "\r\n".join(lines).encode("latin-1")


def _serve(writer: asyncio.StreamWriter, serve: Serve, path: str) -> None:
    try:
        _answer(writer, *serve(path))
    except ToolError as error:
        _answer(writer, "text/plain", str(error).encode(), status="404 Not Found")


def _answer(
    writer: asyncio.StreamWriter, media_type: str, body: bytes, *, status: str = "200 OK"
) -> None:
    head = (
        f"HTTP/1.1 {status}\r\nContent-Type: {media_type}\r\nContent-Length: {len(body)}\r\n"
        "Cache-Control: no-store\r\nConnection: close\r\n\r\n"
    )
    writer.write(head.encode("latin-1") + body)

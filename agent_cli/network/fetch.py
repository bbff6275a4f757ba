"""One GET of what a URL names, within limits of time and size. Redirects are not followed here."""

import asyncio
import zlib
from typing import TYPE_CHECKING
from urllib.parse import SplitResult, quote, urlsplit

import h11
from msgspec import Struct

from agent_cli.network.bounds import LIMIT, TIMEOUT
from agent_cli.network.connection import Connection, authority_of, connect, credentials
from agent_cli.types.errors import ToolError
from agent_cli.types.outcomes import Code

if TYPE_CHECKING:
    import ssl

_PATIENCE = 5.0
"""Seconds for the connection to one of several addresses."""
_SAFE = "/%:=&?~+!$,;'@()*[]-._"
_ANY_FORMAT = 47
"""For zlib: a header of gzip or zlib, whichever there is."""


class Answer(Struct, frozen=True):
    status: int
    reason: str
    headers: dict[str, str]
    """Names in lower case."""
    data: bytes
    """At most `LIMIT` bytes."""
    cut: bool
    """There was more."""


async def get(url: SplitResult, addresses: tuple[str, ...], proxy: str = "") -> Answer:
    """Ask one of the host's addresses, or the proxy. ToolError where there is no answer."""
    host = url.netloc
    try:
        async with asyncio.timeout(TIMEOUT):
            return await _get(url, addresses, proxy)
    except TimeoutError as error:
        raise ToolError(f"no answer from {host} within {TIMEOUT:g} s", Code.TIMED_OUT) from error
    except (OSError, h11.ProtocolError) as error:
        raise ToolError(f"no answer from {host}: {error}") from error


async def _get(url: SplitResult, addresses: tuple[str, ...], proxy: str) -> Answer:
    connection = await _connect(url, addresses, proxy)
    try:
        response = await connection.request(_request(url, proxy))
        headers = {
            name.decode("latin-1"): text.decode("latin-1") for name, text in response.headers
        }
        data, cut = await _body(connection, headers.get("content-encoding", "").lower())
    finally:
        connection.abort()
    return Answer(response.status_code, response.reason.decode("latin-1"), headers, data, cut)


async def _connect(url: SplitResult, addresses: tuple[str, ...], proxy: str) -> Connection:
    context = _tls() if url.scheme == "https" else None
    if proxy:
        return await connect(url, proxy, context)
    *others, last = addresses
    for address in others:
        try:
            async with asyncio.timeout(_PATIENCE):
                return await connect(url, "", context, address)
        except OSError:  # TimeoutError is one; the next address may answer
            continue
    return await connect(url, "", context, last)


def _request(url: SplitResult, proxy: str) -> h11.Request:
    host = authority_of(url)
    target = quote(url.path or "/", safe=_SAFE) + (
        f"?{quote(url.query, safe=_SAFE)}" if url.query else ""
    )
    headers = [
        ("host", host),
        ("user-agent", "agent-cli"),
        ("accept", "text/html, text/*;q=0.9, */*;q=0.8"),
        ("accept-encoding", "gzip"),
        ("connection", "close"),
    ]
    if proxy and url.scheme == "http":
        target = f"http://{host}{target}"
        headers += credentials(urlsplit(proxy))
    return h11.Request(method="GET", target=target, headers=headers)


async def _body(connection: Connection, encoding: str) -> tuple[bytes, bool]:
    """Return the answer's body, unpacked, and whether it is longer than the limit."""
    if encoding not in {"", "identity", "gzip", "x-gzip", "deflate"}:
        raise ToolError(f"the server answers in the encoding {encoding!r}, which was not asked for")
    unpacker = zlib.decompressobj(_ANY_FORMAT) if encoding not in {"", "identity"} else None
    data = bytearray()
    while (chunk := await connection.read()) is not None:
        room = LIMIT + 1 - len(data)
        try:
            data += unpacker.decompress(chunk, room) if unpacker else chunk
        except zlib.error as error:
            raise ToolError(f"the server's answer cannot be unpacked: {error}") from error
        if len(data) > LIMIT:
            return bytes(data[:LIMIT]), True
    return bytes(data), False


def _tls() -> "ssl.SSLContext":
    import ssl  # noqa: PLC0415 - certificates take 15 ms to load, and hardly any session fetches

    return ssl.create_default_context()

"""Managed tools that are HTTP endpoints.

Arguments fill the places of the address, each encoded once, so that none can lead elsewhere; the
rest becomes the query or the body. Redirects are not followed. What goes wrong is told without
the address, which is nobody's business but the operator's.
"""

import asyncio
import contextlib
import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, urlencode, urlsplit

import h11
import msgspec
from msgspec import Raw

from agent_cli.network.connection import Connection, authority_of, connect
from agent_cli.proxy.config import HttpTool
from agent_cli.proxy.egress import Egress, allowed
from agent_cli.proxy.envelopes import Envelope, failure, success
from agent_cli.types.errors import ToolError

if TYPE_CHECKING:
    import ssl

_PLACE = re.compile(r"\{([A-Za-z_][A-Za-z0-9_]*)\}")
_VARIABLE = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*)\}")
_LARGEST = 16 * 1024 * 1024
"""Bytes of an answer that are read; what is longer is cut."""
_EXCERPT = 500
_REDIRECT = 3


class UnfitError(ValueError):
    """Arguments from which no request can be made."""


class Endpoint:
    """One tool."""

    def __init__(
        self, name: str, tool: HttpTool, environ: Mapping[str, str], egress: Egress
    ) -> None:
        self._name = name
        self._egress = egress
        self._tool = tool
        self._url = urlsplit(tool.url)
        self._headers = {
            header.lower(): _VARIABLE.sub(lambda found: environ.get(found[1], ""), value)
            for header, value in tool.headers.items()
        }
        self._context: ssl.SSLContext | None = None

    async def call(
        self, arguments: dict[str, Any], known_by: tuple[str, str], limit: int
    ) -> Envelope:
        """Make the request, known by a key of its own and by its place in the client's trace."""
        try:
            request, body = self._request(arguments, *known_by)
        except UnfitError as error:
            return failure("request_build_failed", str(error))
        try:
            addresses = await allowed(self._url, self._egress)
        except ToolError as error:
            return failure("request_failed", str(error), 502)
        try:
            connection = await self._connect(addresses)
        except OSError:
            return failure("request_failed", "the tool's service cannot be reached", 502)
        try:
            response = await connection.request(request, body)
            data, size = await _read(connection)
        except (OSError, h11.RemoteProtocolError):
            return failure("read_failed", "the tool's service gave no whole answer", 502)
        finally:
            connection.abort()
        return self._envelope(response, data, size, limit)

    async def _connect(self, addresses: tuple[str, ...]) -> Connection:
        """Connect to one of the very addresses that were looked at."""
        *others, last = addresses
        for address in others:
            with contextlib.suppress(OSError):  # the next address may answer
                return await connect(self._url, "", self._tls(), address)
        return await connect(self._url, "", self._tls(), last)

    def _envelope(self, response: h11.Response, data: bytes, size: int, limit: int) -> Envelope:
        status = response.status_code
        if status // 100 == _REDIRECT:
            return failure("request_failed", "the tool's service sent us elsewhere", status)
        text = data.decode("utf-8", "replace")
        if status // 100 != 2:  # noqa: PLR2004 - HTTP: success
            said = " ".join(text.split())[:_EXCERPT].replace(self._url.netloc, "the service")
            return failure(f"http_{status}", said or f"HTTP status {status}", status)
        value: object = text
        if _is_json(response) and size <= limit:
            try:
                msgspec.json.decode(data)
                value = Raw(data)
            except (msgspec.DecodeError, RecursionError):
                value = text
        return success(value, limit, status=status)

    def _request(
        self, arguments: dict[str, Any], key: str, trace: str
    ) -> tuple[h11.Request, bytes]:
        rest = dict(arguments)
        path = _PLACE.sub(lambda found: _segment(rest, found[1]), self._url.path or "/")
        if {".", ".."} & {*path.split("/")} - {*self._url.path.split("/")}:
            raise UnfitError("the arguments cannot make '.' or '..' of a part of the path")
        query = self._url.query
        body = b""
        headers = {"host": authority_of(self._url), "accept": "application/json", **self._headers}
        if self._tool.method in ("GET", "DELETE"):
            added = urlencode([(name, _scalar(name, value)) for name, value in rest.items()])
            query = "&".join(part for part in (query, added) if part)
        else:
            whole = {self._tool.body_key: rest} if self._tool.body_key else rest
            body = msgspec.json.encode(whole)
            headers["content-type"] = "application/json"
            headers["idempotency-key"] = key
        if trace:
            headers["traceparent"] = trace
        headers["content-length"] = str(len(body))
        target = f"{path}?{query}" if query else path
        return h11.Request(
            method=self._tool.method, target=target, headers=[*headers.items()]
        ), body

    def _tls(self) -> "ssl.SSLContext | None":
        if self._url.scheme != "https":
            return None
        if self._context is None:
            import ssl  # noqa: PLC0415 - certificates take 15 ms, and many tools have none

            self._context = ssl.create_default_context()
        return self._context


async def _read(connection: Connection) -> tuple[bytes, int]:
    """Return the answer's beginning and its whole size."""
    data, size = bytearray(), 0
    while (chunk := await connection.read()) is not None:
        size += len(chunk)
        data += chunk[: _LARGEST - len(data)]
        await asyncio.sleep(0)
    return bytes(data), size


def _segment(rest: dict[str, Any], name: str) -> str:
    if name not in rest:
        raise UnfitError(f"the argument {name!r} is missing")
    value = _scalar(name, rest.pop(name))
    if value in ("", ".", ".."):
        raise UnfitError(f"the argument {name!r} cannot be {value!r}")
    return quote(value, safe="")


def _scalar(name: str, value: object) -> str:
    match value:
        case bool():
            return "true" if value else "false"
        case str():
            return value
        case int() | float():
            return msgspec.json.encode(value).decode()
        case _:
            raise UnfitError(f"the argument {name!r} must be a text or a number here")


def _is_json(response: h11.Response) -> bool:
    kinds = [value for name, value in response.headers if name == b"content-type"]
    return any(b"json" in kind for kind in kinds)

"""Reads HTTP/1.1 requests from a socket."""

from typing import BinaryIO, NamedTuple

MAX_LINE = 64 * 1024


class Incoming(NamedTuple):
    method: str
    path: str
    """Without the query."""
    headers: dict[str, str]
    """Names in lower case."""
    body: bytes

    @property
    def keeps_alive(self) -> bool:
        return self.headers.get("connection", "").lower() != "close"


def read(source: BinaryIO) -> Incoming | None:
    """Read the next request, or None when the client has no more."""
    first = source.readline(MAX_LINE)
    if not first.strip():
        return None
    method, target, _version = first.decode("latin-1").split(" ", 2)
    headers: dict[str, str] = {}
    while (line := source.readline(MAX_LINE)) not in (b"\r\n", b"\n", b""):
        name, _, value = line.decode("latin-1").partition(":")
        headers[name.strip().lower()] = value.strip()
    path = target.partition("?")[0]
    return Incoming(method, path, headers, _body(source, headers))


def _body(source: BinaryIO, headers: dict[str, str]) -> bytes:
    if headers.get("transfer-encoding", "").lower() != "chunked":
        return source.read(int(headers.get("content-length", "0")))
    parts: list[bytes] = []
    while size := int(source.readline(MAX_LINE).partition(b";")[0], 16):
        parts.append(source.read(size))
        source.readline(MAX_LINE)
    while source.readline(MAX_LINE) not in (b"\r\n", b"\n", b""):
        pass
    return b"".join(parts)

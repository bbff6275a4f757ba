"""Writes answers to a socket, or fails to, as the script says."""

import socket
import struct
from collections.abc import Iterable
from http import HTTPStatus

from testbed.exchange import Exchange

NOW = struct.pack("ii", 1, 0)


class Outgoing:
    """One client connection, seen from the answering side."""

    def __init__(self, client: socket.socket) -> None:
        self._client = client

    def whole(self, code: int, content_type: str, body: bytes, headers: dict[str, str]) -> None:
        """Send an answer of known length."""
        lines = {"content-type": content_type, "content-length": str(len(body))} | headers
        self._client.sendall(_head(code, lines) + body)

    def begin(self, code: int, content_type: str) -> None:
        """Send the head of an answer whose body follows in chunks."""
        lines = {"content-type": content_type, "transfer-encoding": "chunked"}
        self._client.sendall(_head(code, lines | {"cache-control": "no-cache"}))

    def chunks(self, parts: Iterable[bytes], between: float, exchange: Exchange) -> bool:
        """Send the parts; return whether the client was there to the end."""
        for place, part in enumerate(parts):
            if between and place and self.waited_in_vain(between):
                exchange.gone.set()
                return False
            self._client.sendall(b"%x\r\n%s\r\n" % (len(part), part))
        return True

    def end(self) -> None:
        self._client.sendall(b"0\r\n\r\n")

    def waited_in_vain(self, seconds: float | None) -> bool:
        """Wait; return at once, and true, when the client goes away meanwhile."""
        self._client.settimeout(seconds)
        try:
            if self._client.recv(1, socket.MSG_PEEK):
                return False  # the next request, sent early: the client is there
        except TimeoutError:
            return False
        except OSError:
            return True
        finally:
            self._client.settimeout(None)
        return True

    def abort(self, *, reset: bool) -> None:
        """Close without a word; a reset says it loudly."""
        if reset:
            self._client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, NOW)
        else:
            self._client.shutdown(socket.SHUT_RDWR)


def _head(code: int, headers: dict[str, str]) -> bytes:
    known = {status.value: status.phrase for status in HTTPStatus}
    lines = [f"HTTP/1.1 {code} {known.get(code, 'Unknown')}"]
    lines += [f"{name}: {value}" for name, value in headers.items()]
    return ("\r\n".join(lines) + "\r\n\r\n").encode("latin-1")

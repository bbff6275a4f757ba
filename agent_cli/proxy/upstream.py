"""The way to the upstream: connections that are kept, one request on each at a time.

Redirects are not followed, and of the client's headers only those go on that are listed here: its
own credentials never, unless the configuration says so.
"""

import asyncio
from collections.abc import AsyncGenerator, Iterable, Mapping
from typing import TYPE_CHECKING
from urllib.parse import SplitResult, urlsplit

import h11

from agent_cli.network.connection import Connection, authority_of, connect, credentials
from agent_cli.network.proxies import proxy_for
from agent_cli.proxy.envelopes import ProxyError
from agent_cli.proxy.upstream_settings import Upstream as Settings
from agent_cli.proxy.upstream_settings import base_url, key_of

if TYPE_CHECKING:
    import ssl

_KEPT = 256
"""Idle connections."""
_FORWARDED = frozenset(
    {
        "content-type", "accept", "user-agent", "traceparent", "tracestate", "originator",
        "version", "session_id", "conversation_id", "idempotency-key",
    }
)  # fmt: skip
_FORWARDED_BEGINNINGS = (
    "anthropic-", "openai-", "x-client-", "x-stainless-", "x-session-", "x-claude-code-",
    "x-opencode-", "x-openai-", "x-codex-",
)  # fmt: skip
_CREDENTIALS = frozenset({"authorization", "x-api-key", "chatgpt-account-id", "cookie"})
_RETURNED = frozenset(
    {"content-type", "retry-after", "retry-after-ms", "x-should-retry", "request-id"}
)
_RETURNED_BEGINNINGS = ("openai-", "anthropic-", "x-ratelimit-")
_TIMEOUT = 504
ANTHROPIC = "anthropic_messages"


class Upstream:
    """Asks one upstream. Whoever makes one closes it."""

    def __init__(self, name: str, settings: Settings, environ: Mapping[str, str]) -> None:
        self.name = name
        self._settings = settings
        self._environ = environ
        self._key = key_of(settings, environ)
        self._idle: dict[str, list[Connection]] = {}
        self._context: ssl.SSLContext | None = None

    async def ask(
        self, dialect: str, path: str, headers: Mapping[str, str], body: bytes, method: str = "POST"
    ) -> "Answer":
        """Send a request and return the beginning of its answer. Raises ProxyError."""
        url = urlsplit(base_url(self._settings, dialect))
        proxy = proxy_for(url.geturl(), self._environ)
        request = self._request(url, method, path, self._headers(dialect, headers), len(body))
        connection, response = await self._sent(url, proxy, request, body)
        found = {
            name.decode("latin-1").lower(): value.decode("latin-1")
            for name, value in response.headers
        }
        return Answer(self, authority_of(url), connection, response.status_code, found)

    def keep(self, authority: str, connection: Connection) -> None:
        idle = self._idle.setdefault(authority, [])
        if connection.idle and len(idle) < _KEPT:
            idle.append(connection)
        else:
            connection.abort()

    async def close(self) -> None:
        idle = [connection for kept in self._idle.values() for connection in kept]
        self._idle.clear()
        for connection in idle:
            await connection.close()

    def speaks(self, dialect: str) -> bool:
        return bool(base_url(self._settings, dialect))

    def model(self, name: str) -> str:
        """Return what the model is called here."""
        return self._settings.models.get(name, name)

    @property
    def aliases(self) -> Iterable[str]:
        """The names by which clients know models that are called otherwise here."""
        return self._settings.models.keys()

    @property
    def patience(self) -> float:
        """Seconds without a byte after which a stream is given up."""
        return self._settings.idle_timeout

    async def _sent(
        self, url: SplitResult, proxy: str, request: h11.Request, body: bytes
    ) -> tuple[Connection, h11.Response]:
        idle = self._idle.get(authority_of(url), [])
        while idle:
            kept = idle.pop()
            if not kept.idle:
                kept.abort()
                continue
            try:
                return kept, await self._response(kept, request, body)
            except ProxyError as error:
                # The upstream may have closed it while it was idle; then it never saw the request.
                if kept.answered or error.status == _TIMEOUT:
                    raise
                break
        connection = await self._connect(url, proxy)
        return connection, await self._response(connection, request, body)

    async def _response(
        self, connection: Connection, request: h11.Request, body: bytes
    ) -> h11.Response:
        limit = self._settings.headers_timeout
        try:
            async with asyncio.timeout(limit):
                return await connection.request(request, body)
        except BaseException as error:
            connection.abort()
            if isinstance(error, TimeoutError):
                raise ProxyError(
                    504, "upstream_timeout", f"the upstream gave no answer within {limit:g} s"
                ) from error
            if isinstance(error, OSError | h11.RemoteProtocolError):
                raise ProxyError(
                    502, "upstream_unreachable", "the upstream gave no answer"
                ) from error
            raise

    async def _connect(self, url: SplitResult, proxy: str) -> Connection:
        limit = self._settings.connect_timeout
        try:
            async with asyncio.timeout(limit):
                return await connect(url, proxy, self._tls(url))
        except (OSError, h11.RemoteProtocolError) as error:  # TimeoutError is one
            raise ProxyError(
                502, "upstream_unreachable", "the upstream cannot be reached"
            ) from error

    def _request(
        self, url: SplitResult, method: str, path: str, headers: list[tuple[str, str]], length: int
    ) -> h11.Request:
        host = authority_of(url)
        target = f"{url.path.rstrip('/')}{path}"
        if url.query:
            target += ("&" if "?" in path else "?") + url.query
        proxy = proxy_for(url.geturl(), self._environ)
        written = [("host", host), *headers]
        if method != "GET" or length:
            written.append(("content-length", str(length)))
        if proxy and url.scheme == "http":
            target = f"http://{host}{target}"
            written += credentials(urlsplit(proxy))
        return h11.Request(method=method, target=target, headers=written)

    def _headers(self, dialect: str, given: Mapping[str, str]) -> list[tuple[str, str]]:
        passes = self._settings.auth == "passthrough"
        found = {
            name: value
            for name, value in given.items()
            if name in _FORWARDED
            or name.startswith(_FORWARDED_BEGINNINGS)
            or (passes and name in _CREDENTIALS)
        }
        found["accept-encoding"] = "identity"
        if self._key and dialect == ANTHROPIC:
            found["x-api-key"] = self._key
        elif self._key:
            found["authorization"] = f"Bearer {self._key}"
        if dialect == ANTHROPIC:
            found.setdefault("anthropic-version", "2023-06-01")
        found |= {name.lower(): value for name, value in self._settings.headers.items()}
        return list(found.items())

    def _tls(self, url: SplitResult) -> "ssl.SSLContext | None":
        if url.scheme != "https":
            return None
        if self._context is None:
            import ssl  # noqa: PLC0415 - certificates take 15 ms, and a local upstream has none

            self._context = ssl.create_default_context()
        return self._context


class Answer:
    """One answer of the upstream. Whoever has one reads it to its end or closes it."""

    def __init__(
        self,
        upstream: Upstream,
        authority: str,
        connection: Connection,
        status: int,
        headers: dict[str, str],
    ) -> None:
        self._upstream = upstream
        self._authority = authority
        self._connection: Connection | None = connection
        self.status = status
        self.headers = headers

    @property
    def ok(self) -> bool:
        return self.status // 100 == 2  # noqa: PLR2004 - HTTP: success

    @property
    def wait(self) -> float | None:
        """How many seconds the upstream asks to wait, if it says so in seconds."""
        try:
            return max(float(self.headers.get("retry-after", "")), 0.0)
        except ValueError:
            return None

    @property
    def streams(self) -> bool:
        return self.headers.get("content-type", "").startswith("text/event-stream")

    @property
    def returned_headers(self) -> dict[str, str]:
        """Those that the client gets to see."""
        return {
            name: value
            for name, value in self.headers.items()
            if name in _RETURNED or name.startswith(_RETURNED_BEGINNINGS)
        }

    async def pieces(self) -> AsyncGenerator[bytes, None]:
        """Yield the body as it comes. Raises ProxyError when it breaks off."""
        connection = self._connection
        assert connection is not None
        limit = self._upstream.patience
        try:
            while True:
                async with asyncio.timeout(limit):
                    chunk = await connection.read()
                if chunk is None:
                    break
                yield chunk
            self._connection = None
            self._upstream.keep(self._authority, connection)
        except TimeoutError as error:
            raise ProxyError(
                504, "upstream_timeout", f"the upstream sent nothing for {limit:g} s"
            ) from error
        except (OSError, h11.RemoteProtocolError) as error:
            raise ProxyError(
                502, "upstream_stream_interrupted", "the upstream's answer broke off"
            ) from error
        finally:
            self.close()

    async def body(self, limit: int) -> bytes:
        """Return the whole body; raises ProxyError if it is larger than `limit`."""
        data = bytearray()
        async for piece in self.pieces():
            data += piece
            if len(data) > limit:
                self.close()
                raise ProxyError(
                    502, "upstream_too_large", f"the upstream's answer exceeds {limit} bytes"
                )
        return bytes(data)

    def close(self) -> None:
        connection, self._connection = self._connection, None
        if connection is not None:
            connection.abort()

"""A transport over an official client. Both clients sit on httpx2, and this is what they share.

The client signs and sends; the bytes that come back are read here, so that codecs decode the same
frames and faults as on the direct transport. Retries are ours, redirects are not followed.
"""

import logging
import ssl
from collections.abc import AsyncGenerator, Awaitable, Callable

import httpx2

from agent_cli.providers.base import Endpoint
from agent_cli.providers.refusals import (
    cut,
    refusal,
    stalled,
    streams,
    unreachable,
    untrusted,
)
from agent_cli.types.errors import ProviderError
from agent_cli.wire.frames import Frame
from agent_cli.wire.sse import SseReader


class SdkTransport:
    def __init__(
        self,
        endpoint: Endpoint,
        post: Callable[[bytes], Awaitable[httpx2.Response]],
        close: Callable[[], Awaitable[None]],
    ) -> None:
        self._endpoint = endpoint
        self._post = post
        self._close = close

    async def send(self, body: bytes) -> AsyncGenerator[Frame, None]:
        """See `Transport.send`."""
        response = await self._post(body)
        try:
            if not streams(response.status_code, response.headers):
                answer = await response.aread()
                url = str(response.request.url)
                raise refusal(url, response.status_code, response.headers, answer)
            events = SseReader()
            async for chunk in response.aiter_bytes():
                for frame in events.feed(chunk):
                    yield frame
        except httpx2.TimeoutException as error:
            raise stalled(self._endpoint.stall_timeout) from error
        except httpx2.HTTPError as error:
            raise cut(str(error)) from error
        finally:
            await response.aclose()

    async def close(self) -> None:
        await self._close()


def http_client(endpoint: Endpoint) -> httpx2.AsyncClient:
    """Return the client below the official one, with our timeouts and the user's proxy."""
    for name in ("anthropic", "openai", "httpx2", "httpcore2"):
        # ANTHROPIC_LOG=debug and the like would print keys and what is said to the terminal.
        logging.getLogger(name).setLevel(logging.WARNING)
    return httpx2.AsyncClient(
        timeout=httpx2.Timeout(endpoint.stall_timeout, connect=endpoint.connect_timeout),
        proxy=endpoint.proxy or None,
        # `proxy` already says what the environment wants, with loopback exempted.
        trust_env=not endpoint.base_url,
        verify=ssl.create_default_context(),  # the same certificates as on the direct transport
        follow_redirects=False,
    )


def connection_failure(error: Exception, url: str, endpoint: Endpoint) -> ProviderError:
    """Return ours for a client's own connection error, by the httpx2 error that caused it."""
    cause = error.__cause__ or error
    if isinstance(cause, httpx2.ConnectTimeout):
        return unreachable(url, f"no connection within {endpoint.connect_timeout:g} s")
    if isinstance(cause, httpx2.TimeoutException):
        return stalled(endpoint.stall_timeout)
    if "CERTIFICATE_VERIFY_FAILED" in str(cause):
        return untrusted(url, str(cause))
    connected = not isinstance(cause, httpx2.ConnectError)
    return unreachable(url, f"no answer: {cause}" if connected else str(cause))

"""The two ways to a server, as the SDK's streams: the pipes of a program, and an address.

The SDK starts nothing: the program is a `Dialogue`, kept like every other. Lines that are no
messages are passed over, for many a server prints a greeting.
"""

from collections.abc import AsyncGenerator, AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager, suppress
from http import HTTPStatus
from types import TracebackType
from typing import Self, cast

import anyio
import httpx2
import mcp_types as wire
from mcp.client.streamable_http import MCP_SESSION_ID, streamable_http_client
from mcp.shared._stream_protocols import ReadStream, WriteStream
from mcp.shared.message import SessionMessage

from agent_cli.processes.dialogue import LONGEST, Dialogue

_CONNECT = 30.0
"""Seconds."""

Streams = tuple[ReadStream[SessionMessage | Exception], WriteStream[SessionMessage]]


@asynccontextmanager
async def program(dialogue: Dialogue, ended: Callable[[], None]) -> AsyncGenerator[Streams]:
    """Talk with a program; `ended` is called when nothing more can come from it."""
    yield _Reading(dialogue, ended), _Writing(dialogue)


@asynccontextmanager
async def address(
    url: str, headers: Mapping[str, str], patience: float, forgotten: Callable[[], None]
) -> AsyncGenerator[Streams]:
    """Talk with whoever is at the address; `forgotten` is called when it knows us no more."""

    async def heard(response: httpx2.Response) -> None:
        if response.status_code == HTTPStatus.NOT_FOUND and _of_session(response.request):
            forgotten()
        await _bound(response)

    client = httpx2.AsyncClient(
        headers={"Accept-Encoding": "identity", **headers},
        timeout=httpx2.Timeout(_CONNECT, read=patience),
        event_hooks={"response": [heard]},
    )
    async with (
        client,
        streamable_http_client(url, http_client=client, max_sse_event_size=LONGEST) as streams,
    ):
        yield streams


class _Stream:
    """What the SDK expects of both directions."""

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        exc_type: type[BaseException] | None,
        exc_val: BaseException | None,
        exc_tb: TracebackType | None,
    ) -> None:
        return None

    async def aclose(self) -> None:
        return None


class _Reading(_Stream):
    def __init__(self, dialogue: Dialogue, ended: Callable[[], None]) -> None:
        self._dialogue = dialogue
        self._ended = ended

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> SessionMessage | Exception:
        try:
            while line := await self._dialogue.line():
                with suppress(ValueError):
                    message = wire.jsonrpc_message_adapter.validate_json(line, by_name=False)
                    return SessionMessage(message)
        except OSError:
            pass  # a line too long: nothing that follows could be understood
        self._ended()
        raise StopAsyncIteration

    async def receive(self) -> SessionMessage | Exception:
        try:
            return await anext(self)
        except StopAsyncIteration:
            raise anyio.EndOfStream from None


class _Writing(_Stream):
    def __init__(self, dialogue: Dialogue) -> None:
        self._dialogue = dialogue

    async def send(self, item: SessionMessage, /) -> None:
        data = item.message.model_dump_json(by_alias=True, exclude_unset=True)
        try:
            await self._dialogue.say(data.encode() + b"\n")
        except OSError as error:
            raise anyio.BrokenResourceError from error


def _of_session(request: httpx2.Request) -> bool:
    """Whether it says something in a session; one that only listens may be refused with 404."""
    return request.method == "POST" and MCP_SESSION_ID in request.headers


async def _bound(response: httpx2.Response) -> None:
    """Read no more of an answer than is bearable; the SDK itself sees to streams of events."""
    if response.headers.get("content-encoding", "identity") != "identity":
        raise httpx2.ReadError("the answer is compressed, which it was asked not to be")
    if "text/event-stream" not in response.headers.get("content-type", ""):
        response.stream = _BoundedStream(cast("httpx2.AsyncByteStream", response.stream))


class _BoundedStream(httpx2.AsyncByteStream):
    def __init__(self, stream: httpx2.AsyncByteStream) -> None:
        self._stream = stream

    async def __aiter__(self) -> AsyncIterator[bytes]:
        count = 0
        async for data in self._stream:
            count += len(data)
            if count > LONGEST:
                raise httpx2.ReadError(f"an answer of more than {LONGEST // 1024 // 1024} MB")
            yield data

    async def aclose(self) -> None:
        await self._stream.aclose()

"""The client's side of an answer: whole at the end, or a stream of which text passes at once.

Both are given the same rounds. A stream's first byte waits for the first words, so that what goes
wrong before is a true HTTP status; if there is nothing to say for long, a heartbeat begins it.
"""

import asyncio
import time
from collections.abc import Container, Iterable, Mapping, Sequence
from typing import Any, Protocol

import msgspec

from agent_cli.network.serving import Reply
from agent_cli.proxy.dialects.base import Fields, StreamCutError
from agent_cli.proxy.dialects.dialect import Dialect
from agent_cli.proxy.dialects.turns import Round, Turn, View
from agent_cli.proxy.dialects.usage import EXTENSION
from agent_cli.proxy.envelopes import ProxyError
from agent_cli.proxy.raw_frames import RawFrames
from agent_cli.proxy.upstream import Answer
from agent_cli.types.errors import WireError
from agent_cli.wire.frames import Frame
from agent_cli.wire.sse import write_event

JSON = {"content-type": "application/json"}
EVENTS = {
    "content-type": "text/event-stream; charset=utf-8",
    "cache-control": "no-cache, no-transform",
    "x-accel-buffering": "no",
}
_DONE = b"data: [DONE]\n\n"


class Delivery(Protocol):
    """Takes the upstream's answers, and gives the client what it may see."""

    @property
    def begun(self) -> bool:
        """Whether the client has got anything: then an error can only be a frame."""
        ...

    def owns(self, owned: Container[str]) -> None:
        """Take note of the names of managed tools."""
        ...

    @property
    def heard(self) -> dict[str, Any]:
        """The usage of an answer that broke off, as far as it had been told."""
        ...

    async def take(self, answer: Answer) -> Turn: ...

    def again(self) -> bool:
        """Forget a broken answer; return whether that can be done, as nobody has seen it."""
        ...

    async def replay(self, turn: Turn) -> None:
        """Take a reply that is known already."""
        ...

    async def close_round(self, round_: Round) -> None: ...

    async def finish(
        self, rounds: Sequence[Round], usage: dict[str, Any], headers: Mapping[str, str]
    ) -> None: ...

    async def fail(self, error: ProxyError, headers: Mapping[str, str]) -> None: ...

    async def refuse(
        self, status: int, headers: Mapping[str, str], body: bytes, error: ProxyError
    ) -> None:
        """Pass on an upstream's error."""
        ...

    def close(self) -> None: ...


class Whole:
    """An answer that is not streamed."""

    def __init__(
        self, reply: Reply, dialect: Dialect, asked: Fields, request_id: str, limit: int
    ) -> None:
        self.reply = reply
        self.dialect = dialect
        self.asked = asked
        self._request_id = request_id
        self._limit = limit
        self._body = b""
        self.begun = False
        self.heard: dict[str, Any] = {}

    def again(self) -> bool:
        return True

    def owns(self, owned: Container[str]) -> None:
        return

    async def take(self, answer: Answer) -> Turn:
        self._body = await answer.body(self._limit)
        try:
            return self.dialect.read(self._body)
        except WireError as error:
            raise ProxyError(502, "upstream_unreadable", str(error)) from error

    async def replay(self, turn: Turn) -> None:
        self._body = b""

    async def close_round(self, round_: Round) -> None:
        self._body = b""

    async def finish(
        self, rounds: Sequence[Round], usage: dict[str, Any], headers: Mapping[str, str]
    ) -> None:
        last = rounds[-1]
        plain = len(rounds) == 1 and len(last.release) == len(last.turn.calls)
        if plain and self._body and not last.turn.repaired and EXTENSION not in usage:
            body = self.dialect.cleaned(self._body, self.asked)
        else:
            body = self.dialect.compose(rounds, usage, self.asked)
        await self.reply.whole(200, {**headers, **JSON}, body)

    async def fail(self, error: ProxyError, headers: Mapping[str, str]) -> None:
        body = msgspec.json.encode(self.dialect.error_body(error, self._request_id))
        await self.reply.whole(error.status, {**headers, **error.headers, **JSON}, body)

    async def refuse(
        self, status: int, headers: Mapping[str, str], body: bytes, error: ProxyError
    ) -> None:
        await self.reply.whole(status, headers, body)

    def close(self) -> None:
        return


class Streamed:
    """An answer that is streamed."""

    def __init__(self, whole: Whole, headers: Mapping[str, str], view: View) -> None:
        """Let `whole` say what goes wrong before the stream begins."""
        self._whole = whole
        self._reply = whole.reply
        self._dialect = whole.dialect
        self._asked = whole.asked
        self._headers = {**headers, **EVENTS}
        self._view = view
        self._stream = self._dialect.stream(self._asked, view)
        self._waiting: list[bytes] = []
        self._last = time.monotonic()
        self._writing = asyncio.Lock()
        self._beating: asyncio.Task[None] | None = None
        self._rounds = 0

    def again(self) -> bool:
        if self._stream.substantial:
            return False
        if self._rounds == 1 and not self.begun:
            owned = self._stream.owned
            self._stream = self._dialect.stream(self._asked, self._view)
            self._stream.owned = owned
            self._waiting.clear()
            self._rounds = 0
        return True

    def owns(self, owned: Container[str]) -> None:
        self._stream.owned = owned

    @property
    def begun(self) -> bool:
        return self._reply.begun

    @property
    def heard(self) -> dict[str, Any]:
        return self._stream.usage

    def beat(self, seconds: float, keepalive: str) -> None:
        """Say something at least every so many seconds, if the client bears it."""
        if keepalive != "off" or self._dialect.NAME != "openai_chat":
            beating = self._beat(seconds, plain=keepalive == "empty_delta")
            self._beating = asyncio.create_task(beating)

    async def take(self, answer: Answer) -> Turn:
        if not answer.streams:
            turn = await self._whole.take(answer)
            await self.replay(turn)
            return turn
        self._begin_round()
        frames = RawFrames()
        try:
            async for piece in answer.pieces():
                await self._feed(frames.feed(piece))
            return self._stream.turn()
        except StreamCutError as error:
            raise ProxyError(502, error.code, str(error)) from error
        finally:
            answer.close()

    async def replay(self, turn: Turn) -> None:
        self._begin_round()
        await self._feed((write_event(frame), frame) for frame in self._dialect.replay(turn))

    async def _feed(self, frames: Iterable[tuple[bytes, Frame | None]]) -> None:
        """Pass on in one piece what has come in one, up to the frame that is none."""
        made: list[bytes] = []
        try:
            made.extend(self._stream.feed(raw, frame) for raw, frame in frames)
        finally:
            await self._pass(b"".join(made))

    async def close_round(self, round_: Round) -> None:
        await self._pass(self._stream.close_round(round_))

    async def finish(
        self, rounds: Sequence[Round], usage: dict[str, Any], headers: Mapping[str, str]
    ) -> None:
        self._headers = {**headers, **EVENTS}
        async with self._writing:
            await self._write(self._stream.end(rounds, usage))
            await self._reply.end()

    async def fail(self, error: ProxyError, headers: Mapping[str, str]) -> None:
        if not self.begun:
            await self._whole.fail(error, headers)
            return
        async with self._writing:
            done = self._view.done_after_error and self._dialect.NAME == "openai_chat"
            await self._write(self._stream.error(error) + (_DONE if done else b""))
            await self._reply.end()

    async def refuse(
        self, status: int, headers: Mapping[str, str], body: bytes, error: ProxyError
    ) -> None:
        if self.begun:
            await self.fail(error, {})
        else:
            await self._whole.refuse(status, headers, body, error)

    def close(self) -> None:
        if self._beating is not None:
            self._beating.cancel()

    def _begin_round(self) -> None:
        self._stream.begin_round()
        self._rounds += 1

    async def _pass(self, data: bytes) -> None:
        """Hold back what only announces words, until there are some."""
        if not data:
            return
        async with self._writing:
            if self.begun or self._stream.substantial:
                await self._write(data)
            else:
                self._waiting.append(data)

    async def _write(self, data: bytes) -> None:
        if not self._reply.begun:
            await self._reply.begin(200, self._headers)
        waiting, self._waiting = self._waiting, []
        self._last = time.monotonic()
        await self._reply.write(b"".join([*waiting, data]))

    async def _beat(self, seconds: float, *, plain: bool) -> None:
        while True:
            await asyncio.sleep(max(self._last + seconds - time.monotonic(), 0.01))
            async with self._writing:
                if time.monotonic() - self._last >= seconds and not self._reply.ended:
                    await self._write(b"")
                    await self._write(self._stream.heartbeat(plain=plain))

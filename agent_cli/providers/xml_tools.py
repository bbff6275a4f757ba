"""A provider for models that call tools in XML: text to it, native calls from it."""

from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing
from typing import cast

from agent_cli.providers.base import Provider
from agent_cli.types.events import (
    Delta,
    MessageEnd,
    ReasoningDelta,
    Retrying,
    TextDelta,
)
from agent_cli.types.messages import AssistantMessage, StopReason, ToolCall, ToolResult
from agent_cli.types.requests import ModelRequest
from agent_cli.types.usage import Usage
from agent_cli.wire.xml_tools.decode import Decoder
from agent_cli.wire.xml_tools.render import Renderer

_BYTES_PER_TOKEN = 4


class XmlTools:
    """Wraps a provider for one session. The system prompt must hold the catalogue of tools."""

    def __init__(self, inner: Provider) -> None:
        self._inner = inner
        self._renderer = Renderer()

    async def stream(self, request: ModelRequest) -> AsyncGenerator[Delta, None]:
        """Yield the deltas of the inner provider, with calls for their text.

        The first complete call ends the message, and the inner stream is closed.
        """
        rendered = self._renderer.request(request)
        decoder = Decoder(request.tools)
        received = 0
        async with aclosing(_closable(self._inner.stream(rendered))) as stream:
            async for delta in stream:
                match delta:
                    case TextDelta(text=text):
                        received += _size(text)
                        for decoded in decoder.feed(text):
                            yield decoded
                        if decoder.finished:
                            break
                    case ReasoningDelta():
                        received += _size(delta.text)
                        yield delta
                    case Retrying():
                        decoder = Decoder(request.tools)
                        received = 0
                        yield delta
                    case MessageEnd():
                        cut = delta.stop_reason in {StopReason.LENGTH, StopReason.REFUSAL}
                        for decoded in decoder.finish(cut=cut):
                            yield decoded
                        yield MessageEnd(_stop_reason(decoder, delta.stop_reason), delta.usage)
                        return
                    case _:
                        pass  # native calls, though no tools were offered: nobody made them
        yield MessageEnd(_stop_reason(decoder, StopReason.END), _estimate(rendered, received))

    async def close(self) -> None:
        await self._inner.close()


def _closable(stream: AsyncIterator[Delta]) -> AsyncGenerator[Delta, None]:
    # a provider's iterator can be closed: the protocol says so, its type cannot
    return cast("AsyncGenerator[Delta, None]", stream)


def _stop_reason(decoder: Decoder, said: StopReason) -> StopReason:
    if decoder.called:
        return StopReason.CALLS
    if decoder.cut_off and said is not StopReason.REFUSAL:
        return StopReason.LENGTH
    return StopReason.END if said is StopReason.CALLS else said


def _estimate(request: ModelRequest, received: int) -> Usage:
    """Estimate the usage of a stream that was closed before it told its own."""
    sent = _size(request.system) + sum(
        _size(block.text)
        for message in request.messages
        for block in (message.blocks if isinstance(message, AssistantMessage) else (message,))
        if not isinstance(block, ToolCall | ToolResult)
    )
    return Usage(
        input_tokens=sent // _BYTES_PER_TOKEN,
        output_tokens=received // _BYTES_PER_TOKEN,
        estimated=True,
    )


def _size(text: str) -> int:
    return len(text.encode("utf-8", "surrogatepass"))

"""A provider that says again what a model has said in a session, whatever it is asked."""

from collections.abc import AsyncGenerator, Callable, Iterator, Sequence
from contextlib import aclosing

from agent_cli.providers.base import Provider
from agent_cli.types.errors import Fault, ProviderError
from agent_cli.types.events import (
    Delta,
    MessageEnd,
    ReasoningDelta,
    TextDelta,
    ToolCallBegin,
    ToolCallDelta,
    ToolCallEnd,
)
from agent_cli.types.messages import AssistantMessage, Reasoning, Text, ToolCall
from agent_cli.types.requests import ModelRequest


class RecordedModel:
    """See `Provider`. After its last message another model may take over."""

    def __init__(
        self,
        said: Sequence[AssistantMessage],
        before: Callable[[int], None],
        then: Provider | None = None,
    ) -> None:
        """`before` is called with each message's number before it is said; it may raise."""
        self._said = said
        self._before = before
        self._then = then
        self.played = 0
        """How many messages were said."""

    async def stream(self, request: ModelRequest) -> AsyncGenerator[Delta, None]:
        """See `Provider.stream`. Raises ProviderError after the last message."""
        if self.played < len(self._said):
            self._before(self.played)
            self.played += 1
            for delta in deltas(self._said[self.played - 1]):
                yield delta
            return
        if self._then is None:
            raise ProviderError("the recording is at its end", Fault.INVALID_REQUEST)
        async with aclosing(self._then.stream(request)) as live:
            async for delta in live:
                yield delta

    async def close(self) -> None:
        if self._then is not None:
            await self._then.close()


def deltas(message: AssistantMessage) -> Iterator[Delta]:
    """Yield the stream that makes the message."""
    for index, block in enumerate(message.blocks):
        match block:
            case Text(text):
                yield TextDelta(text)
            case Reasoning(text, opaque):
                yield ReasoningDelta(text, opaque)
            case ToolCall(id, name, arguments, complete, opaque):
                yield ToolCallBegin(index, id, name, opaque)
                yield ToolCallDelta(index, arguments)
                if complete:
                    yield ToolCallEnd(index)
    yield MessageEnd(message.stop_reason, message.usage)

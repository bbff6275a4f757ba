"""A provider of text becomes one of calls."""

import asyncio
from collections.abc import AsyncGenerator, Callable

import pytest
from testbed.xml_calls import TOOLS

from agent_cli.providers.base import Provider
from agent_cli.providers.xml_tools import XmlTools
from agent_cli.types.errors import Fault, ProviderError
from agent_cli.types.events import (
    Delta,
    MessageEnd,
    ReasoningDelta,
    Retrying,
    TextDelta,
    ToolCallBegin,
    ToolCallDelta,
    ToolCallEnd,
)
from agent_cli.types.messages import AssistantMessage, StopReason, Text, ToolCall, UserMessage
from agent_cli.types.requests import ModelRequest
from agent_cli.types.usage import Usage

USAGE = Usage(input_tokens=10, output_tokens=5)
READ = "<read_file>\n<path>a</path>\n</read_file>"
CALL = [
    ToolCallBegin(0, "", "read_file"),
    ToolCallDelta(0, '{"path":"a"}'),
    ToolCallEnd(0, READ),
]
REQUEST = ModelRequest("m", "s" * 40, (UserMessage("Read a."),), TOOLS)


class Scripted:
    """Streams what it was given, and remembers what it was asked."""

    def __init__(self, *deltas: Delta | ProviderError) -> None:
        self._deltas = deltas
        self.asked: list[ModelRequest] = []
        self.streamed = 0
        self.ended = False
        self.closed = False

    async def stream(self, request: ModelRequest) -> AsyncGenerator[Delta, None]:
        self.asked.append(request)
        try:
            for delta in self._deltas:
                if isinstance(delta, ProviderError):
                    raise delta
                self.streamed += 1
                yield delta
        finally:
            self.ended = True

    async def close(self) -> None:
        self.closed = True


def end(reason: StopReason = StopReason.END) -> MessageEnd:
    return MessageEnd(reason, USAGE)


def heard(
    inner: Provider,
    request: ModelRequest = REQUEST,
    seen: Callable[[Delta], object] = lambda delta: None,
) -> list[Delta]:
    async def listen() -> list[Delta]:
        deltas: list[Delta] = []
        async for delta in XmlTools(inner).stream(request):
            seen(delta)
            deltas.append(delta)
        return deltas

    return asyncio.run(listen())


def test_a_call_ends_the_message_and_closes_the_stream():
    inner = Scripted(
        ReasoningDelta("hm"), TextDelta("On it.\n<read"), TextDelta(READ[5:] + " and"),
        TextDelta(READ), end(),
    )  # fmt: skip
    usage = Usage(input_tokens=(40 + 7) // 4, output_tokens=(2 + 12 + 40) // 4, estimated=True)
    ended_before_the_end: list[bool] = []

    def see(delta: Delta) -> None:
        if isinstance(delta, MessageEnd):
            ended_before_the_end.append(inner.ended)

    assert heard(inner, seen=see) == [
        ReasoningDelta("hm"), TextDelta("On it.\n"), *CALL, MessageEnd(StopReason.CALLS, usage),
    ]  # fmt: skip
    assert inner.streamed == 3
    assert ended_before_the_end == [True]


ENDS = [
    pytest.param("Hi", StopReason.END, [TextDelta("Hi")], StopReason.END, id="no call"),
    pytest.param("Hi", StopReason.CALLS, [TextDelta("Hi")], StopReason.END,
                 id="calls that are none"),
    pytest.param("Hi <", StopReason.LENGTH, [TextDelta("Hi "), TextDelta("<")],
                 StopReason.LENGTH, id="too long"),
    pytest.param("<read_file><path>a", StopReason.END, CALL[:1], StopReason.LENGTH,
                 id="an unclosed call"),
    pytest.param("<read_file><path>a", StopReason.LENGTH, CALL[:1], StopReason.LENGTH,
                 id="a call cut off"),
    pytest.param("<read_file><path>a", StopReason.REFUSAL, CALL[:1], StopReason.REFUSAL,
                 id="a refusal in a call"),
    pytest.param(f"```\n{READ}", StopReason.END, CALL, StopReason.CALLS,
                 id="a fence closed by the end"),
    pytest.param(f"```\n{READ}", StopReason.LENGTH, [TextDelta(f"```\n{READ}")],
                 StopReason.LENGTH, id="a fence cut off"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "reason", "deltas", "told"), ENDS)
def test_the_end_of_the_message(text, reason, deltas, told):
    inner = Scripted(TextDelta(text), end(reason))
    assert heard(inner) == [*deltas, MessageEnd(told, USAGE)]


@pytest.mark.trap("T-27")
def test_a_retry_starts_anew():
    again = Retrying(1, 0.5, "overloaded")
    inner = Scripted(TextDelta("<read_file><path>"), again, TextDelta("</path>ok"), end())
    assert heard(inner) == [CALL[0], again, TextDelta("</path>ok"), end()]


def test_native_calls_nobody_asked_for_are_dropped():
    native = [ToolCallBegin(0, "x", "read_file"), ToolCallDelta(0, "{}"), ToolCallEnd(0)]
    assert heard(Scripted(TextDelta("Hi"), *native, end())) == [TextDelta("Hi"), end()]


def test_an_error_is_passed_on():
    inner = Scripted(TextDelta("Hi"), ProviderError("cut", Fault.CUT))
    with pytest.raises(ProviderError, match="cut"):
        heard(inner)
    assert inner.ended


def test_the_model_is_asked_in_text_and_each_message_is_rendered_once():
    inner = Scripted(TextDelta("Hi"), end())
    provider = XmlTools(inner)
    said = AssistantMessage((ToolCall("1", "read_file", '{"path":"a"}', opaque=READ),))
    request = ModelRequest("m", "s", (UserMessage("Read a."), said), TOOLS)

    async def ask() -> None:
        for _ in range(2):
            async for _ in provider.stream(request):
                pass
        await provider.close()

    asyncio.run(ask())
    first, second = inner.asked
    assert first.tools == ()
    assert first.messages == (UserMessage("Read a."), AssistantMessage((Text(READ),)))
    assert first.messages[1] is second.messages[1]
    assert inner.closed


def test_the_estimate_counts_the_words_of_the_conversation():
    said = AssistantMessage((Text("x" * 20), ToolCall("1", "read_file", "{}")))
    request = ModelRequest("m", "", (UserMessage("é" * 10), said), TOOLS)
    rendered = len("<read_file>\n</read_file>")
    *_, last = heard(Scripted(TextDelta(READ)), request)
    assert isinstance(last, MessageEnd)
    assert last.usage.input_tokens == (20 + 20 + rendered) // 4


def test_closing_the_stream_early_closes_the_one_inside():
    inner = Scripted(TextDelta("a"), TextDelta("b"), end())

    async def leave() -> None:
        stream = XmlTools(inner).stream(REQUEST)
        await anext(stream)
        await stream.aclose()

    asyncio.run(leave())
    assert inner.ended
    assert inner.streamed == 1


def test_it_is_a_provider():
    provider: Provider = XmlTools(Scripted())
    assert provider

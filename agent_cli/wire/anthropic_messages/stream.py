"""Streams in the Messages format: frames to deltas, and a message to frames."""

from collections.abc import Iterator

import msgspec
from msgspec import Raw, Struct

from agent_cli.types.errors import Fault, ProviderError, WireError
from agent_cli.types.events import (
    Delta,
    MessageEnd,
    ReasoningDelta,
    TextDelta,
    ToolCallBegin,
    ToolCallDelta,
    ToolCallEnd,
)
from agent_cli.types.messages import AssistantMessage, Block, Reasoning, StopReason, Text
from agent_cli.wire.anthropic_messages._blocks import (
    BLOCK,
    STOP_REASONS,
    STOP_WORDS,
    WireBlock,
    WireFailure,
    WireUsage,
    call_input,
    encode_block,
    usage_of,
    wire_usage,
)
from agent_cli.wire.anthropic_messages.response import envelope
from agent_cli.wire.codec import StreamDecoder
from agent_cli.wire.errors import named_error
from agent_cli.wire.frames import Frame
from agent_cli.wire.json_text import decode, well_formed


class _WireDelta(Struct):
    """The `delta` of a content_block_delta or a message_delta."""

    type: str = ""
    text: str = ""
    partial_json: str = ""
    thinking: str = ""
    signature: str | None = None
    stop_reason: str | None = None


class _WireMessage(Struct):
    usage: WireUsage | None = None


class _WireKind(Struct):
    type: str


class _WireEvent(Struct):
    type: str = ""
    index: int = 0
    delta: _WireDelta | None = None
    content_block: Raw = Raw()
    message: _WireMessage | None = None
    usage: WireUsage | None = None
    error: WireFailure | None = None


EVENT = msgspec.json.Decoder(_WireEvent)
KIND = msgspec.json.Decoder(_WireKind)
FIELDS = msgspec.json.Decoder(dict[str, Raw])
"""Fields of a block in the order in which they came, each as its own JSON."""


KNOWN = frozenset(
    {
        "error",
        "message_start",
        "message_delta",
        "message_stop",
        "content_block_start",
        "content_block_delta",
        "content_block_stop",
    }
)


class _Open(Struct):
    """A block that has begun and not stopped; text needs none."""

    raw: bytes
    block: WireBlock
    thinking: list[str]
    signature: str
    has_arguments: bool = False


class MessagesDecoder:
    """Decodes one stream; see `StreamDecoder`."""

    def __init__(self) -> None:
        self._open: dict[int, _Open] = {}
        self._usage: list[WireUsage] = []
        self._stop_reason = StopReason.END
        self._finished = False

    @property
    def finished(self) -> bool:
        return self._finished

    def decode(self, frame: Frame) -> tuple[Delta, ...]:
        if self._finished or frame.data == b"[DONE]":
            return ()  # some gateways add the terminator of another format
        try:
            return self._deltas(decode(frame.data, EVENT))
        except (WireError, msgspec.DecodeError) as error:
            if _is_unknown(frame.data):
                return ()
            raise ProviderError(f"the stream broke: {error}", Fault.CUT) from error

    def eof(self) -> tuple[Delta, ...]:
        return ()

    def _deltas(self, event: _WireEvent) -> tuple[Delta, ...]:
        match event:
            case _WireEvent(type="content_block_delta", delta=_WireDelta() as delta):
                return self._continue(event.index, delta)
            case _WireEvent(type="content_block_start"):
                return self._start(event.index, bytes(event.content_block))
            case _WireEvent(type="content_block_stop"):
                return self._stop(event.index)
            case _WireEvent(error=WireFailure(type=name, message=message)):
                raise named_error((name,), message)
            case _WireEvent(type="message_stop"):
                self._finished = True
                return (MessageEnd(self._stop_reason, usage_of(self._usage)),)
            case _:
                self._note(event)
                return ()

    def _note(self, event: _WireEvent) -> None:
        """Keep what the end of the message needs from message_start and message_delta."""
        started = event.message.usage if event.message else None
        self._usage.extend(usage for usage in (started, event.usage) if usage)
        if event.delta is not None and event.delta.stop_reason is not None:
            self._stop_reason = STOP_REASONS.get(event.delta.stop_reason, StopReason.END)

    def _start(self, index: int, raw: bytes) -> tuple[Delta, ...]:
        block = BLOCK.decode(raw)
        if block.type == "text":
            return (TextDelta(block.text),) if block.text else ()
        if block.type == "tool_use":
            self._open[index] = _Open(raw, block, [], "")
            return (ToolCallBegin(index, block.id, block.name),)
        if block.type in {"thinking", "redacted_thinking"}:
            self._open[index] = _Open(raw, block, [block.thinking], block.signature or "")
            return (ReasoningDelta(block.thinking),) if block.thinking else ()
        return ()

    def _continue(self, index: int, delta: _WireDelta) -> tuple[Delta, ...]:
        if delta.type == "text_delta":
            return (TextDelta(delta.text),)
        begun = self._open.get(index)
        if begun is None:
            return ()  # of a block that we do not know
        if delta.type == "input_json_delta" and delta.partial_json:
            begun.has_arguments = True
            return (ToolCallDelta(index, delta.partial_json),)
        if delta.type == "thinking_delta":
            begun.thinking.append(delta.thinking)
            return (ReasoningDelta(delta.thinking),)
        if delta.type == "signature_delta":
            begun.signature = delta.signature or ""
        return ()

    def _stop(self, index: int) -> tuple[Delta, ...]:
        begun = self._open.pop(index, None)
        if begun is None:
            return ()
        if begun.block.type == "tool_use":
            return _end_of_call(index, begun)
        opaque = _opaque(begun)
        return (ReasoningDelta("", opaque),) if opaque else ()


def _is_unknown(data: bytes) -> bool:
    """Whether it is an event that we do not know, whose fields may be of any type."""
    try:
        return decode(data, KIND).type not in KNOWN
    except WireError:
        return False


def _end_of_call(index: int, call: _Open) -> tuple[Delta, ...]:
    whole = bytes(call.block.input).decode()
    if call.has_arguments or whole in {"", "{}"}:
        return (ToolCallEnd(index),)
    # Some servers do not stream arguments and give them all at the start.
    return (ToolCallDelta(index, whole), ToolCallEnd(index))


def _opaque(begun: _Open) -> str:
    """Return the block as it has to be sent back; empty if it was not signed."""
    if begun.block.type == "redacted_thinking":
        return begun.raw.decode()
    if not begun.signature:
        return ""
    fields = FIELDS.decode(begun.raw)
    fields["thinking"] = Raw(msgspec.json.encode(well_formed("".join(begun.thinking))))
    fields["signature"] = Raw(msgspec.json.encode(well_formed(begun.signature)))
    return msgspec.json.encode(fields).decode()


def decoder() -> StreamDecoder:
    return MessagesDecoder()


def encode_stream(message: AssistantMessage, model: str) -> Iterator[Frame]:
    started = {**envelope(message, model), "usage": wire_usage(message.usage, 0)}
    yield _frame("message_start", message=started)
    for index, block in enumerate(message.blocks):
        start, deltas = _encode_parts(block)
        yield _frame("content_block_start", index=index, content_block=start)
        for delta in deltas:
            yield _frame("content_block_delta", index=index, delta=delta)
        yield _frame("content_block_stop", index=index)
    yield _frame(
        "message_delta",
        delta={"stop_reason": STOP_WORDS[message.stop_reason], "stop_sequence": None},
        usage={"output_tokens": message.usage.output_tokens},
    )
    yield _frame("message_stop")


def _frame(kind: str, **fields: object) -> Frame:
    return Frame(msgspec.json.encode({"type": kind, **fields}), kind)


def _encode_parts(block: Block) -> tuple[object, list[dict[str, str]]]:
    """Return a block's start and its deltas."""
    match block:
        case Text(text=text):
            return {"type": "text", "text": ""}, [{"type": "text_delta", "text": text}]
        case Reasoning():
            return _encode_reasoning(block)
        case _:
            start = {"type": "tool_use", "id": block.id, "name": block.name, "input": Raw(b"{}")}
            arguments = bytes(call_input(block)).decode()
            return start, [{"type": "input_json_delta", "partial_json": arguments}]


def _encode_reasoning(block: Reasoning) -> tuple[object, list[dict[str, str]]]:
    raw = encode_block(block)
    whole = BLOCK.decode(raw)
    if whole.type == "redacted_thinking":
        return Raw(raw), []
    blank = Raw(b'""')
    deltas = [{"type": "thinking_delta", "thinking": whole.thinking}]
    if whole.signature:
        deltas.append({"type": "signature_delta", "signature": whole.signature})
    return {**FIELDS.decode(raw), "thinking": blank, "signature": blank}, deltas

"""Chat Completions streams, both ways.

A stream ends with `[DONE]`, or once finish reason and usage are both known, or, on servers that
send neither `[DONE]` nor usage, when the transport ends cleanly after the finish reason.
"""

from collections.abc import Iterator
from typing import Any

import msgspec
from msgspec import Struct

from agent_cli.types.events import Delta, MessageEnd, ReasoningDelta, TextDelta
from agent_cli.types.messages import AssistantMessage, Block, Reasoning, StopReason, Text, ToolCall
from agent_cli.types.usage import Usage
from agent_cli.wire.errors import reported
from agent_cli.wire.frames import Frame
from agent_cli.wire.openai_chat.calls import CallPiece, Calls, FunctionPiece
from agent_cli.wire.openai_chat.request import extra_content
from agent_cli.wire.openai_chat.response import (
    FINISH_REASONS,
    TokenUsage,
    stop_reason,
    written_usage,
)
from agent_cli.wire.openai_parts import estimated_tokens, objects_in, read_event, response_number

DONE = b"[DONE]"


class _Delta(Struct, gc=False):
    content: object = None
    tool_calls: list[CallPiece] | None = None
    reasoning_content: object = None
    reasoning: object = None
    refusal: str | None = None
    function_call: FunctionPiece | None = None


class _Choice(Struct, gc=False):
    index: int | None = 0
    delta: _Delta | None = None
    finish_reason: str | None = None
    error: object = None


class _Chunk(Struct, gc=False):
    choices: list[_Choice] | None = None
    usage: TokenUsage | None = None
    error: object = None


_CHUNK = msgspec.json.Decoder(_Chunk)


class Decoder:
    """Reads one stream; the finish reason is acted on only at its end.

    Servers send argument pieces after the finish reason, or the finish reason more than once.
    """

    def __init__(self) -> None:
        self._calls = Calls()
        self._finish_reason: str | None = None
        self._usage: Usage | None = None
        self._refused = False
        self._characters = 0
        self._finished = False

    @property
    def finished(self) -> bool:
        return self._finished

    def decode(self, frame: Frame) -> tuple[Delta, ...]:
        if self._finished:
            return ()
        if frame.data.startswith(DONE):
            return tuple(self._end())
        chunk = read_event(frame.data, _CHUNK)
        if chunk.error:
            raise reported(chunk.error)
        deltas: list[Delta] = []
        for choice in chunk.choices or ():
            if not choice.index:
                self._read(choice, deltas)
        if chunk.usage is not None:
            self._usage = chunk.usage.read() or self._usage
            if self._finish_reason and self._usage:
                deltas += self._end()
        return tuple(deltas)

    def eof(self) -> tuple[Delta, ...]:
        """Return the end of a stream that told its finish reason and stopped without `[DONE]`."""
        return tuple(self._end()) if self._finish_reason and not self._finished else ()

    def _read(self, choice: _Choice, deltas: list[Delta]) -> None:
        if choice.error:
            raise reported(choice.error)
        if choice.delta is not None:
            self._read_delta(choice.delta, deltas)
        self._finish_reason = choice.finish_reason or self._finish_reason

    def _read_delta(self, delta: _Delta, deltas: list[Delta]) -> None:
        thought = delta.reasoning_content or delta.reasoning
        if thought and isinstance(thought, str):
            self._characters += len(thought)
            deltas.append(ReasoningDelta(thought))
        content = delta.content
        if isinstance(content, str):
            self._characters += len(content)
            if content:
                deltas.append(TextDelta(content))
        elif content is not None:
            _read_parts(content, deltas)
        if delta.refusal:
            self._refused = True
            deltas.append(TextDelta(delta.refusal))
        for piece in delta.tool_calls or ():
            self._calls.add(piece, deltas)
        if delta.function_call is not None:  # the form before tool calls: one, without an id
            self._calls.add(CallPiece(function=delta.function_call), deltas)

    def _end(self) -> list[Delta]:
        reason = stop_reason(self._finish_reason, calls=len(self._calls) > 0, refused=self._refused)
        self._finished = True
        deltas: list[Delta] = []
        self._calls.end(deltas, last_is_cut=reason is StopReason.LENGTH)
        usage = self._usage or Usage(
            output_tokens=estimated_tokens(self._characters + self._calls.characters),
            estimated=True,
        )
        deltas.append(MessageEnd(reason, usage))
        return deltas


def decoder() -> Decoder:
    return Decoder()


def _read_parts(content: object, deltas: list[Delta]) -> None:
    """Read content that comes in typed parts, thinking among them, as Mistral sends it."""
    for part in objects_in(content):
        text = part.get("text")
        if isinstance(text, str) and text:
            deltas.append(TextDelta(text))
        thoughts = (thought.get("text") for thought in objects_in(part.get("thinking")))
        deltas += [ReasoningDelta(thought) for thought in thoughts if isinstance(thought, str)]


def encode_stream(message: AssistantMessage, model: str) -> Iterator[Frame]:
    envelope = {
        "id": f"chatcmpl-{response_number(message)}",
        "object": "chat.completion.chunk",
        "created": 0,
        "model": model,
    }
    yield _chunk(envelope, {"role": "assistant", "content": ""})
    calls = 0
    for block in message.blocks:
        for delta in _pieces(block, calls):
            yield _chunk(envelope, delta)
        calls += isinstance(block, ToolCall)
    yield _chunk(envelope, {}, FINISH_REASONS[message.stop_reason])
    last: dict[str, Any] = {**envelope, "choices": [], "usage": written_usage(message.usage)}
    yield Frame(msgspec.json.encode(last))
    yield Frame(DONE)


def _chunk(
    envelope: dict[str, Any], delta: dict[str, Any], finish_reason: str | None = None
) -> Frame:
    choice = {"index": 0, "delta": delta, "logprobs": None, "finish_reason": finish_reason}
    return Frame(msgspec.json.encode({**envelope, "choices": [choice], "usage": None}))


def _pieces(block: Block, index: int) -> Iterator[dict[str, Any]]:
    match block:
        case Text(text=text):
            yield {"content": text}
        case Reasoning(text=text):
            yield {"reasoning_content": text}
        case ToolCall(id=id_, name=name, arguments=arguments):
            begin: dict[str, Any] = {
                "index": index,
                "id": id_,
                "type": "function",
                "function": {"name": name, "arguments": ""},
            }
            if extra := extra_content(block):
                begin["extra_content"] = extra
            yield {"tool_calls": [begin]}
            yield {"tool_calls": [{"index": index, "function": {"arguments": arguments}}]}

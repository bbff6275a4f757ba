"""Requests in the Messages format.

Rule 1: the messages are a join of cached fragments, so that the next request extends this one byte
for byte. The one thing that moves are cache marks, put on while joining.
Rule 2: roles alternate, results come before words, nothing blank is sent. What is left of a message
after that may be nothing, and its neighbours are then joined.
Rule 3: decoding keeps what `ModelRequest` can hold. Content that it cannot hold is refused, because
losing it would change what was said; settings beyond it (sampling, a forced tool) are left out.
"""

from itertools import islice

import msgspec
from msgspec import Raw, Struct

from agent_cli.types.messages import (
    AssistantMessage,
    Image,
    Message,
    Reasoning,
    Text,
    ToolCall,
    ToolResult,
    UserMessage,
)
from agent_cli.types.requests import ModelRequest, ToolSpec
from agent_cli.wire.anthropic_messages._blocks import encode_call, is_own
from agent_cli.wire.frames import Fragments

DEFAULT_MAX_OUTPUT = 8192
"""The format demands a number; every model in service can write this much."""

CACHE_MARK = b',"cache_control":{"type":"ephemeral"}}'

MARKED_TURNS = 2
"""Of the user, the last ones: where the request before wrote the cache is then a mark of this one,
however many blocks were added since, and the vendor looks back no further than 20. With the marks
of system prompt and tools these are the four that it allows."""


class _Turn(Struct):
    """One wire message: everything that one side said in a row."""

    role: str
    results: list[bytes]
    blocks: list[bytes]
    encoded: bytes = b""
    """Once it was asked for; without a mark."""


def encode_request(request: ModelRequest, fragments: Fragments) -> bytes:
    body: dict[str, object] = {
        "model": request.model,
        "max_tokens": request.max_output or DEFAULT_MAX_OUTPUT,
        "stream": True,
    }
    if request.system.strip():
        body["system"] = [Raw(_marked(_text(request.system)))]
    if request.tools:
        tools = [_tool(tool) for tool in request.tools]
        body["tools"] = [Raw(tool) for tool in (*tools[:-1], _marked(tools[-1]))]
        if request.parallel_tool_calls is False:
            body["tool_choice"] = {"type": "auto", "disable_parallel_tool_use": True}
    turns = fragments.of(request.messages, list[_Turn], _add)
    return b'%b,"messages":[%b]}' % (msgspec.json.encode(body)[:-1], _join(turns))


def _add(turns: list[_Turn], message: Message) -> None:
    fragment = _encode_message(message)
    if not fragment:
        return
    role = "assistant" if isinstance(message, AssistantMessage) else "user"
    if not turns or turns[-1].role != role:
        turns.append(_Turn(role, [], []))
    part = turns[-1].results if isinstance(message, ToolResult) else turns[-1].blocks
    part.append(fragment)
    turns[-1].encoded = b""


def _join(turns: list[_Turn]) -> bytes:
    encoded = [turn.encoded or _encode_turn(turn) for turn in turns]
    of_user = (at for at in reversed(range(len(turns))) if turns[at].role == "user")
    for at in islice(of_user, MARKED_TURNS):
        encoded[at] = encoded[at].removesuffix(b"}]}") + CACHE_MARK + b"]}"
    return b",".join(encoded)


def _encode_turn(turn: _Turn) -> bytes:
    content = b",".join([*turn.results, *turn.blocks])
    turn.encoded = b'{"role":"%b","content":[%b]}' % (turn.role.encode(), content)
    return turn.encoded


def _marked(fragment: bytes) -> bytes:
    """Put the cache mark on the last object of a fragment."""
    return fragment[:-1] + CACHE_MARK


def _tool(tool: ToolSpec) -> bytes:
    fields = {"name": tool.name, "description": tool.description, "input_schema": tool.schema}
    return msgspec.json.encode(fields)


def _encode_message(message: Message) -> bytes:
    """Return the blocks of a message, joined by commas; empty if there is nothing to send."""
    match message:
        case UserMessage():
            return b",".join(_words(message.text, message.images))
        case ToolResult():
            return _encode_result(message)
        case AssistantMessage():
            return b",".join(_encode_blocks(message))


def _encode_blocks(message: AssistantMessage) -> list[bytes]:
    encoded: list[bytes] = []
    sendable = 0
    for block in message.blocks:
        match block:
            case Reasoning():
                if is_own(block.opaque):
                    encoded.append(block.opaque.encode())
                continue  # a message may not end with thinking
            case Text(text=text):
                if not text.strip():
                    continue
                encoded.append(_text(text))
            case ToolCall():
                encoded.append(encode_call(block))
        sendable = len(encoded)
    return encoded[:sendable]


def _encode_result(result: ToolResult) -> bytes:
    fields: dict[str, object] = {"type": "tool_result", "tool_use_id": result.call_id}
    text, images = result.content, result.images
    if result.is_error:
        fields["is_error"] = True
        # An error must have content, and it must be text.
        text, images = text if text.strip() else result.code or result.outcome, ()
    if images:
        fields["content"] = [Raw(block) for block in _words(text, images)]
    elif text.strip():
        fields["content"] = text
    return msgspec.json.encode(fields)


def _words(text: str, images: tuple[Image, ...]) -> list[bytes]:
    blocks = [_text(text)] if text.strip() else []
    return [*blocks, *(_image(image) for image in images)]


def _text(text: str) -> bytes:
    return msgspec.json.encode({"type": "text", "text": text})


def _image(image: Image) -> bytes:
    source = {"type": "base64", "media_type": image.media_type, "data": image.data}
    return msgspec.json.encode({"type": "image", "source": source})

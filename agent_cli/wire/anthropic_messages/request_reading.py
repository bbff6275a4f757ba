"""A request's body back to a `ModelRequest`; the rules stand in `request.py`."""

from collections.abc import Iterator

import msgspec
from msgspec import Raw, Struct

from agent_cli.types.errors import WireError
from agent_cli.types.messages import (
    AssistantMessage,
    Block,
    Image,
    Message,
    Reasoning,
    StopReason,
    Text,
    ToolCall,
    ToolResult,
    UserMessage,
)
from agent_cli.types.outcomes import Outcome
from agent_cli.types.requests import ModelRequest, ToolSpec
from agent_cli.wire.anthropic_messages._blocks import BLOCK, WireBlock, WireSource


class _WireMessage(Struct):
    role: str
    content: str | list[Raw]


class _WireTool(Struct):
    name: str
    description: str = ""
    input_schema: Raw = Raw()


class _WireToolChoice(Struct):
    disable_parallel_tool_use: bool = False


class _WireRequest(Struct):
    model: str
    messages: list[_WireMessage]
    max_tokens: int = 0
    system: str | list[WireBlock] = ""
    tools: list[_WireTool] = []
    tool_choice: _WireToolChoice | None = None


REQUEST = msgspec.json.Decoder(_WireRequest)
RESULT_CONTENT = msgspec.json.Decoder(str | list[WireBlock])


def decode_request(body: bytes) -> ModelRequest:
    """Decode. Raises WireError for what is malformed or cannot be held."""
    try:
        request = REQUEST.decode(body)
        messages = tuple(message for wire in request.messages for message in _decode_message(wire))
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise WireError(f"not a Messages request: {error}") from error
    choice = request.tool_choice
    return ModelRequest(
        model=request.model,
        system=_decode_system(request.system),
        messages=messages,
        tools=tuple(_decode_tool(tool) for tool in request.tools),
        max_output=request.max_tokens,
        parallel_tool_calls=False if choice and choice.disable_parallel_tool_use else None,
    )


def _decode_system(system: str | list[WireBlock]) -> str:
    if isinstance(system, str):
        return system
    return "\n\n".join(block.text for block in system)


def _decode_tool(tool: _WireTool) -> ToolSpec:
    if not bytes(tool.input_schema):
        raise WireError(f"tool {tool.name!r} has no input_schema; server tools are not supported")
    return ToolSpec(tool.name, tool.description, tool.input_schema.copy())


def _decode_message(message: _WireMessage) -> Iterator[Message]:
    match message.role, message.content:
        case "user", str(text):
            yield UserMessage(text)
        case "user", list(blocks):
            yield from _decode_user_blocks(blocks)
        case "assistant", str(text):
            yield AssistantMessage((Text(text),))
        case "assistant", list(blocks):
            yield _decode_assistant(blocks)
        case role, _:
            raise WireError(f"role {role!r} is neither 'user' nor 'assistant'")


def _decode_user_blocks(blocks: list[Raw]) -> Iterator[Message]:
    """Yield a message per text with the images after it, so that encoding restores the order."""
    text: str | None = None
    images: list[Image] = []
    for raw in blocks:
        block = BLOCK.decode(raw)
        if block.type == "image":
            images.append(_decode_image(block.source))
            continue
        if text is not None or images:
            yield UserMessage(text or "", tuple(images))
        text, images = None, []
        if block.type == "text":
            text = block.text
        elif block.type == "tool_result":
            yield _decode_result(block)
        else:
            raise WireError(f"a user's block of type {block.type!r} is not supported")
    if text is not None or images:
        yield UserMessage(text or "", tuple(images))


def _decode_result(block: WireBlock) -> ToolResult:
    outcome = Outcome.FAILED if block.is_error else Outcome.OK
    content = RESULT_CONTENT.decode(block.content) if bytes(block.content) else ""
    if isinstance(content, str):
        return ToolResult(block.tool_use_id, outcome, content=content)
    unknown = [part.type for part in content if part.type not in {"text", "image"}]
    if unknown:
        raise WireError(f"a result's block of type {unknown[0]!r} is not supported")
    return ToolResult(
        block.tool_use_id,
        outcome,
        content="\n".join(part.text for part in content if part.type == "text"),
        images=tuple(_decode_image(part.source) for part in content if part.type == "image"),
    )


def _decode_image(source: WireSource | None) -> Image:
    if source is None or source.type != "base64":
        kind = source.type if source else ""
        raise WireError(f"an image from {kind!r} is not supported; send it as 'base64'")
    return Image(source.media_type, source.data)


def _decode_assistant(blocks: list[Raw]) -> AssistantMessage:
    decoded = tuple(_decode_block(raw) for raw in blocks)
    calls = any(isinstance(block, ToolCall) for block in decoded)
    return AssistantMessage(decoded, StopReason.CALLS if calls else StopReason.END)


def _decode_block(raw: Raw) -> Block:
    block = BLOCK.decode(raw)
    match block.type:
        case "text":
            return Text(block.text)
        case "thinking" | "redacted_thinking":
            return Reasoning(block.thinking, bytes(raw).decode() if block.is_opaque else "")
        case "tool_use":
            return ToolCall(block.id, block.name, bytes(block.input).decode())
        case kind:
            raise WireError(f"an assistant's block of type {kind!r} is not supported")

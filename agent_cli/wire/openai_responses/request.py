"""Responses requests.

The input comes last, so that consecutive requests of a session share their bytes up to the first
new item. Nothing is stored by the server, so reasoning is sent back only if it carries its own
encrypted content, and only before the item it led to: anything else is refused.
"""

from typing import Any

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
from agent_cli.wire import json_text
from agent_cli.wire.frames import Fragments
from agent_cli.wire.openai_parts import (
    content_of,
    data_url,
    legal_arguments,
    legal_name,
    schema_of,
)
from agent_cli.wire.openai_responses.items import (
    Item,
    block_of,
    item_id,
    read_item,
    reasoning_item,
)

LEAST_OUTPUT = 16
"""The vendor refuses a smaller limit."""


def encode_request(request: ModelRequest, fragments: Fragments) -> bytes:
    head = msgspec.json.encode(_settings(request))
    items = fragments.of(request.messages, list[bytes], _add)
    return b'%s,"input":[%s]}' % (head[:-1], b",".join(items))


def _add(items: list[bytes], message: Message) -> None:
    items += filter(None, [_encode(message)])


def _settings(request: ModelRequest) -> dict[str, Any]:
    settings: dict[str, Any] = {
        "model": request.model,
        "stream": True,
        "store": False,
        "include": ["reasoning.encrypted_content"],
    }
    if request.system:
        settings["instructions"] = request.system
    if request.session_id:
        settings["prompt_cache_key"] = request.session_id
    if request.max_output:
        settings["max_output_tokens"] = max(request.max_output, LEAST_OUTPUT)
    if request.tools:
        settings["tools"] = [_tool(tool) for tool in request.tools]
        if request.parallel_tool_calls is not None:
            settings["parallel_tool_calls"] = request.parallel_tool_calls
    return settings


def _tool(tool: ToolSpec) -> dict[str, Any]:
    return {
        "type": "function",
        "name": tool.name,
        "description": tool.description,
        "parameters": tool.schema,
        "strict": tool.strict,
    }


def _encode(message: Message) -> bytes:
    """Return the message's items joined by commas; nothing for a message that says nothing."""
    match message:
        case UserMessage(text=text, images=images):
            content = _content(text, images)
            said = {"type": "message", "role": "user", "content": content}
            items: list[dict[str, Any] | Raw] = [said] if content else []
        case AssistantMessage(blocks=blocks):
            items = _said(blocks)
        case ToolResult(call_id=call_id, content=text, images=images):
            output = _content(text, images) if images else text
            items = [{"type": "function_call_output", "call_id": call_id, "output": output}]
    return b",".join(msgspec.json.encode(item) for item in items)


def _content(text: str, images: tuple[Image, ...]) -> list[dict[str, Any]]:
    parts: list[dict[str, Any]] = [{"type": "input_text", "text": text}] if text else []
    return parts + [
        {"type": "input_image", "image_url": data_url(image), "detail": "auto"} for image in images
    ]


def _said(blocks: tuple[Block, ...]) -> list[dict[str, Any] | Raw]:
    items: list[dict[str, Any] | Raw] = []
    led_to = False  # whether an item follows that the reasoning belongs to
    for block in reversed(blocks):
        match block:
            case Reasoning():
                if led_to and _can_be_sent(block):
                    items.append(Raw(block.opaque.encode()))
            case Text(text=text):
                if text:
                    part = {"type": "output_text", "text": text}
                    items.append({"type": "message", "role": "assistant", "content": [part]})
                    led_to = True
            case ToolCall():
                items.append(_call(block))
                led_to = True
    return items[::-1]


def _can_be_sent(block: Reasoning) -> bool:
    item = reasoning_item(block)
    return item is not None and bool(item.encrypted_content)


def _call(call: ToolCall) -> dict[str, Any]:
    fields = {
        "type": "function_call",
        "call_id": call.id,
        "name": legal_name(call.name),
        "arguments": legal_arguments(call.arguments),
    }
    return {**fields, "id": id_} if (id_ := item_id(call)) else fields


class _Tool(Struct):
    type: str = "function"
    name: str = ""
    description: str | None = None
    parameters: Raw = Raw()
    strict: bool | None = None


class _Body(Struct):
    model: str
    input: list[Raw] | str
    instructions: str | None = None
    tools: list[_Tool] | None = None
    max_output_tokens: int | None = None
    parallel_tool_calls: bool | None = None
    prompt_cache_key: str | None = None


_BODY = msgspec.json.Decoder(_Body)


def decode_request(body: bytes) -> ModelRequest:
    """Read a request. Raises WireError for what is none, or holds what our values cannot."""
    read = json_text.decode(body, _BODY)
    history = _History(read.instructions or "")
    if isinstance(read.input, str):
        history.messages.append(UserMessage(read.input))
    else:
        for raw in read.input:
            history.add(raw)
    history.close_message()
    return ModelRequest(
        model=read.model,
        system="\n\n".join(history.system),
        messages=tuple(history.messages),
        tools=tuple(_spec(tool) for tool in read.tools or ()),
        max_output=read.max_output_tokens or 0,
        parallel_tool_calls=read.parallel_tool_calls,
        session_id=read.prompt_cache_key or "",
    )


def _spec(tool: _Tool) -> ToolSpec:
    if tool.type != "function":
        raise WireError(f"tool of type {tool.type!r} is not supported; offer functions")
    schema = schema_of(tool.parameters)
    return ToolSpec(tool.name, tool.description or "", schema, tool.strict or False)


class _History:
    """Items to messages: what the assistant said between two other items is one message."""

    def __init__(self, system: str) -> None:
        self.system = [system] if system else []
        self.messages: list[Message] = []
        self._blocks: list[Block] = []

    def add(self, raw: Raw) -> None:
        item = read_item(raw)
        if item.type == "function_call_output":
            self.close_message()
            text, images = content_of(item.output)
            result = ToolResult(item.call, Outcome.OK, content=text, images=images)
            self.messages.append(result)
        elif item.type == "message" and item.role != "assistant":
            self._told(item)
        elif block := block_of(item, raw):
            self._blocks.append(block)
        elif item.type != "message":
            raise WireError(f"input item of type {item.type!r} is not supported")

    def _told(self, item: Item) -> None:
        text, images = content_of(item.content)
        if item.role in {"system", "developer"}:
            self.system.append(text)
            return
        self.close_message()
        self.messages.append(UserMessage(text, images))

    def close_message(self) -> None:
        if not self._blocks:
            return
        has_calls = any(isinstance(block, ToolCall) for block in self._blocks)
        reason = StopReason.CALLS if has_calls else StopReason.END
        self.messages.append(AssistantMessage(tuple(self._blocks), reason))
        self._blocks.clear()

"""A conversation with tool calls as one of text only, for models that call tools in XML."""

from typing import Any

import msgspec
from msgspec import structs

from agent_cli.types.messages import (
    AssistantMessage,
    Block,
    Message,
    Text,
    ToolCall,
    ToolResult,
    UserMessage,
)
from agent_cli.types.requests import ModelRequest
from agent_cli.wire.growing import Growing


class Renderer:
    """Renders the messages of one session; those of last time are the same objects again."""

    def __init__(self) -> None:
        self._rendered = Growing()
        self._names: dict[str, str] = {}

    def request(self, request: ModelRequest) -> ModelRequest:
        """Return the request without tools, calls and results: text says it all."""
        messages = self._rendered.of(request.messages, list[Message], self._add)
        return structs.replace(
            request, messages=tuple(messages), tools=(), parallel_tool_calls=None
        )

    def _add(self, rendered: list[Message], message: Message) -> None:
        if isinstance(message, AssistantMessage):
            self._names.update((call.id, call.name) for call in message.calls)
            rendered.append(assistant(message))
        elif isinstance(message, ToolResult):
            rendered.append(result(message, self._names.get(message.call_id, "tool")))
        else:
            rendered.append(message)


def assistant(message: AssistantMessage) -> AssistantMessage:
    """Put each call's text in its place, and make one text of those that stand together."""
    if not message.calls:
        return message
    blocks: list[Block] = []
    for block in message.blocks:
        text = call(block) if isinstance(block, ToolCall) else ""
        if isinstance(block, Text):
            text = block.text
        last = blocks[-1] if blocks else None
        if not text:
            blocks.append(block)
        elif isinstance(last, Text):
            blocks[-1] = Text(last.text + text)
        else:
            blocks.append(Text(text))
    return structs.replace(message, blocks=tuple(blocks))


def call(made: ToolCall) -> str:
    """Return the call as the model wrote it; if it wrote no XML, as it would have to."""
    if made.opaque.startswith(f"<{made.name}>"):
        return made.opaque
    lines = [f"<{made.name}>", *_parameters(made.arguments), f"</{made.name}>"]
    return "\n".join(lines)


def result(settled: ToolResult, name: str) -> UserMessage:
    """Return what the model is told of its call `name`."""
    outcome = f" ({settled.outcome.value})" if settled.is_error else ""
    said = settled.content or "(the tool returned nothing)"
    return UserMessage(f"[{name}] Result{outcome}:\n{said}", settled.images)


def _parameters(arguments: str) -> list[str]:
    try:
        values = msgspec.json.decode(arguments, type=dict[str, Any])
    except (msgspec.DecodeError, RecursionError):
        return []  # the call was cut off, or could not be read: it was answered with an error
    given = ((name, value) for name, value in values.items() if value is not None)
    return [f"<{name}>{_value(value)}</{name}>" for name, value in given]


def _value(value: object) -> str:
    if not isinstance(value, str):
        return msgspec.json.encode(value).decode()
    return f"\n{value}\n" if "\n" in value or value != value.strip() else value

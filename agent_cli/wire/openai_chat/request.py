"""Chat Completions requests.

Everything that does not grow comes before the messages, so that consecutive requests of a session
share their bytes up to the first new message.
"""

from collections.abc import Sequence
from hashlib import sha256
from typing import Any

import msgspec
from msgspec import Raw, Struct

from agent_cli.types.messages import (
    AssistantMessage,
    Block,
    Image,
    Message,
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
    arguments_text,
    content_of,
    data_url,
    is_object,
    kept_text,
    legal_arguments,
    legal_name,
    schema_of,
)

LONGEST_ID = 40
SHOWN = "[images of {}]"
"""Heads the user message that shows a result's images: `tool` messages hold only text."""


def encode_request(request: ModelRequest, fragments: Fragments) -> bytes:
    messages: list[bytes] = []
    if request.system:
        messages.append(msgspec.json.encode({"role": "system", "content": request.system}))
    told = fragments.of(request.messages, _Told, _add)
    head = msgspec.json.encode(_settings(request))
    return b'%s,"messages":[%s]}' % (
        head[:-1],
        b",".join([*messages, *told.encoded, *told.images]),
    )


def _settings(request: ModelRequest) -> dict[str, Any]:
    settings: dict[str, Any] = {
        "model": request.model,
        "stream": True,
        "stream_options": {"include_usage": True},
    }
    if request.max_output:
        settings["max_completion_tokens"] = request.max_output
    if request.tools:
        settings["tools"] = [_tool(tool) for tool in request.tools]
        if request.parallel_tool_calls is not None:
            settings["parallel_tool_calls"] = request.parallel_tool_calls
    return settings


def _tool(tool: ToolSpec) -> dict[str, Any]:
    function: dict[str, Any] = {
        "name": tool.name,
        "description": tool.description,
        "parameters": tool.schema,
    }
    if tool.strict:  # many servers of this format do not know the word
        function["strict"] = True
    return {"type": "function", "function": function}


class _Told:
    def __init__(self) -> None:
        self.encoded: list[bytes] = []
        self.images: list[bytes] = []
        """Only after the last result: nothing may stand between results."""


def _add(told: _Told, message: Message) -> None:
    fragment = _encode(message)
    if isinstance(message, ToolResult):
        fragment, _, shown = fragment.partition(b"\n")
        told.images += filter(None, [shown])
    else:
        told.encoded += told.images
        told.images.clear()
    told.encoded += filter(None, [fragment])


def _encode(message: Message) -> bytes:
    """Return JSON: nothing for a message that says nothing, two lines for a result with images."""
    match message:
        case UserMessage():
            return _user(message.text, message.images)
        case AssistantMessage():
            return _assistant(message)
        case ToolResult():
            id_ = _legal_id(message.call_id)
            line = msgspec.json.encode(
                {"role": "tool", "tool_call_id": id_, "content": message.content}
            )
            if not message.images:
                return line
            return line + b"\n" + _user(SHOWN.format(id_), message.images)


def _user(text: str, images: Sequence[Image]) -> bytes:
    if not images:
        return msgspec.json.encode({"role": "user", "content": text}) if text else b""
    parts: list[dict[str, Any]] = [{"type": "text", "text": text}] if text else []
    parts += [{"type": "image_url", "image_url": {"url": data_url(image)}} for image in images]
    return msgspec.json.encode({"role": "user", "content": parts})


def _assistant(message: AssistantMessage) -> bytes:
    """Reasoning is left out: most servers that send it refuse to get it back."""
    text = message.text
    fields: dict[str, Any] = {"role": "assistant", "content": text or None}
    if message.calls:
        fields["tool_calls"] = [_call(call) for call in message.calls]
    elif not text:
        return b""
    return msgspec.json.encode(fields)


def _call(call: ToolCall) -> dict[str, Any]:
    legal = msgspec.structs.replace(
        call,
        id=_legal_id(call.id),
        name=legal_name(call.name),
        arguments=legal_arguments(call.arguments),
    )
    return tool_call(legal)


def tool_call(call: ToolCall) -> dict[str, Any]:
    """Return the call as responses have it too."""
    fields: dict[str, Any] = {
        "id": call.id,
        "type": "function",
        "function": {"name": call.name, "arguments": call.arguments},
    }
    if extra := extra_content(call):
        fields["extra_content"] = extra
    return fields


def extra_content(call: ToolCall) -> Raw | None:
    """Return a provider's private object, such as a thought signature; not another codec's."""
    is_ours = call.opaque.startswith("{") and is_object(call.opaque)
    return Raw(call.opaque.encode()) if is_ours else None


def _legal_id(id_: str) -> str:
    if len(id_) <= LONGEST_ID:
        return id_
    return f"{id_[: LONGEST_ID - 17]}_{sha256(id_.encode()).hexdigest()[:16]}"


class CalledFunction(Struct, frozen=True):
    name: str = ""
    arguments: object = ""


class WrittenCall(Struct, frozen=True):
    """A call in a message that is whole: of a request, or of a response that was not streamed."""

    id: str = ""
    function: CalledFunction = CalledFunction()
    extra_content: Raw = Raw()

    def read(self) -> ToolCall:
        return ToolCall(
            self.id,
            self.function.name,
            arguments_text(self.function.arguments),
            opaque=kept_text(self.extra_content),
        )


class _Message(Struct):
    role: str
    content: object = None
    refusal: str | None = None
    tool_calls: list[WrittenCall] | None = None
    tool_call_id: str = ""


class _Function(Struct):
    name: str
    description: str | None = None
    parameters: Raw = Raw()
    strict: bool | None = None


class _Tool(Struct):
    function: _Function


class _Body(Struct):
    model: str
    messages: list[_Message]
    tools: list[_Tool] | None = None
    max_completion_tokens: int | None = None
    max_tokens: int | None = None
    parallel_tool_calls: bool | None = None


_BODY = msgspec.json.Decoder(_Body)


def decode_request(body: bytes) -> ModelRequest:
    """Read a request. Raises WireError for what is none, or holds what our values cannot."""
    read = json_text.decode(body, _BODY)
    system: list[str] = []
    messages: list[Message] = []
    for message in read.messages:
        if message.role in {"system", "developer"}:
            system.append(content_of(message.content)[0])
        else:
            _take(message, messages)
    return ModelRequest(
        model=read.model,
        system="\n\n".join(system),
        messages=tuple(messages),
        tools=tuple(_spec(tool.function) for tool in read.tools or ()),
        max_output=read.max_completion_tokens or read.max_tokens or 0,
        parallel_tool_calls=read.parallel_tool_calls,
    )


def _spec(function: _Function) -> ToolSpec:
    schema = schema_of(function.parameters)
    return ToolSpec(function.name, function.description or "", schema, function.strict or False)


def _take(read: _Message, messages: list[Message]) -> None:
    text, images = content_of(read.content)
    if read.role == "tool":
        messages.append(ToolResult(read.tool_call_id, Outcome.OK, content=text, images=images))
    elif read.role == "assistant":
        messages.append(_said(read, text))
    elif not _shows(text, images, messages):
        messages.append(UserMessage(text, images))


def _said(read: _Message, text: str) -> AssistantMessage:
    said = text or read.refusal or ""
    blocks: list[Block] = [Text(said)] if said else []
    blocks += [call.read() for call in read.tool_calls or ()]
    return AssistantMessage(tuple(blocks), StopReason.CALLS if read.tool_calls else StopReason.END)


def _shows(text: str, images: tuple[Image, ...], messages: list[Message]) -> bool:
    """Give the images back to the result that they belong to, if there is one just before."""
    for place in range(len(messages) - 1, -1, -1):
        result = messages[place]
        if not isinstance(result, ToolResult):
            return False
        if images and text == SHOWN.format(result.call_id):
            messages[place] = msgspec.structs.replace(result, images=images)
            return True
    return False

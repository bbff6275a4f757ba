"""A message as the events of a Responses stream."""

from collections.abc import Iterator
from itertools import count
from typing import Any, TypeAlias

import msgspec

from agent_cli.types.messages import AssistantMessage, Block, Reasoning, Text, ToolCall
from agent_cli.wire.frames import Frame
from agent_cli.wire.openai_parts import response_number
from agent_cli.wire.openai_responses.items import (
    call_head,
    message_head,
    reasoning_item,
    written_item,
)
from agent_cli.wire.openai_responses.response import response_head, written_response

Event: TypeAlias = tuple[str, dict[str, Any]]


def encode_stream(message: AssistantMessage, model: str) -> Iterator[Frame]:
    numbers = count()
    for kind, fields in _events(message, model):
        name = f"response.{kind}"
        event = {"type": name, "sequence_number": next(numbers), **fields}
        yield Frame(msgspec.json.encode(event), name)


def _events(message: AssistantMessage, model: str) -> Iterator[Event]:
    number = response_number(message)
    begun = {"response": response_head(number, model)}
    yield "created", begun
    yield "in_progress", begun
    for place, block in enumerate(message.blocks):
        yield from _item(block, place, f"{number}_{place}")
    response = written_response(message, model)
    yield response["status"], {"response": response}


def _item(block: Block, place: int, number: str) -> Iterator[Event]:
    head = _head(block, number)
    where = {"item_id": head["id"], "output_index": place}
    yield "output_item.added", {"output_index": place, "item": head}
    match block:
        case Text(text=text):
            yield from _text(text, where)
        case Reasoning(text=text):
            if text:
                yield from _summary(text, where)
        case ToolCall(arguments=arguments, complete=complete):
            yield "function_call_arguments.delta", {**where, "delta": arguments}
            if complete:
                done = {**where, "name": block.name, "arguments": arguments}
                yield "function_call_arguments.done", done
    yield "output_item.done", {"output_index": place, "item": written_item(block, number)}


def _head(block: Block, number: str) -> dict[str, Any]:
    match block:
        case Text():
            return {**message_head(number), "status": "in_progress", "content": []}
        case Reasoning():
            item = reasoning_item(block)
            return {"id": item.id if item else f"rs_{number}", "type": "reasoning", "summary": []}
        case ToolCall():
            return {**call_head(block, number), "arguments": "", "status": "in_progress"}


def _text(text: str, where: dict[str, Any]) -> Iterator[Event]:
    where = {**where, "content_index": 0}
    part: dict[str, Any] = {"type": "output_text", "text": "", "annotations": [], "logprobs": []}
    yield "content_part.added", {**where, "part": part}
    yield "output_text.delta", {**where, "delta": text, "logprobs": []}
    yield "output_text.done", {**where, "text": text, "logprobs": []}
    yield "content_part.done", {**where, "part": {**part, "text": text}}


def _summary(text: str, where: dict[str, Any]) -> Iterator[Event]:
    where = {**where, "summary_index": 0}
    part = {"type": "summary_text", "text": ""}
    yield "reasoning_summary_part.added", {**where, "part": part}
    yield "reasoning_summary_text.delta", {**where, "delta": text}
    yield "reasoning_summary_text.done", {**where, "text": text}
    yield "reasoning_summary_part.done", {**where, "part": {**part, "text": text}}

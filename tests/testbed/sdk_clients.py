"""Asks a server through the vendors' own clients, and says what they understood.

Streams are read event by event, not through the clients' helpers: those raise for answers that are
cut by a limit or repeat an id, which the wire allows.
"""

import json
from collections.abc import Iterator
from typing import Any, NamedTuple

import anthropic
import openai
from testbed.exchange import ANTHROPIC_MESSAGES, OPENAI_CHAT

QUESTION: Any = {"role": "user", "content": "What is in a.py?"}


class Heard(NamedTuple):
    """What a client understood, in one shape for all wires."""

    text: str
    calls: list[tuple[str, Any]]
    """Name and arguments."""
    ids: list[Any]
    stop: str
    tokens: tuple[int, int]


def errors(wire: str) -> Any:
    """The client's module, where its errors are."""
    return anthropic if wire == ANTHROPIC_MESSAGES else openai


def events(wire: str, url: str, messages: Any = None) -> Iterator[Any]:
    """What the client yields, event by event."""
    asked: dict[str, Any] = {"model": "m", "stream": True}
    said = messages or [QUESTION]
    if wire == ANTHROPIC_MESSAGES:
        with anthropic.Anthropic(api_key="k", base_url=url, max_retries=0) as vendor:
            yield from vendor.messages.create(max_tokens=100, messages=said, **asked)
        return
    with openai.OpenAI(api_key="k", base_url=url, max_retries=0) as client:
        if wire == OPENAI_CHAT:
            options: Any = {"include_usage": True}
            yield from client.chat.completions.create(
                messages=said, stream_options=options, **asked
            )
        else:
            yield from client.responses.create(input=said, store=False, **asked)


def whole(wire: str, url: str) -> Heard:
    """Ask without streaming."""
    if wire == ANTHROPIC_MESSAGES:
        with anthropic.Anthropic(api_key="k", base_url=url, max_retries=0) as vendor:
            said: Any = [QUESTION]
            return _message(vendor.messages.create(model="m", max_tokens=100, messages=said))
    with openai.OpenAI(api_key="k", base_url=url, max_retries=0) as client:
        question: Any = [QUESTION]
        if wire != OPENAI_CHAT:
            return _response(client.responses.create(model="m", input=question, store=False))
        answer: Any = client.chat.completions.create(model="m", messages=question)
        choice = answer.choices[0]
        calls: Any = choice.message.tool_calls or []
        return Heard(
            text=choice.message.content or "",
            calls=[(call.function.name, json.loads(call.function.arguments)) for call in calls],
            ids=[call.id for call in calls],
            stop=choice.finish_reason,
            tokens=(answer.usage.prompt_tokens, answer.usage.completion_tokens),
        )


def streamed(wire: str, url: str, messages: Any = None) -> Heard:
    """Ask for a stream, and read it to its end."""
    found = events(wire, url, messages)
    if wire == ANTHROPIC_MESSAGES:
        return _message_stream(found)
    if wire == OPENAI_CHAT:
        return _chat_stream(found)
    last = list(found)[-1]
    assert last.type in {"response.completed", "response.incomplete"}, last.type
    return _response(last.response)


def _response(answer: Any) -> Heard:
    calls = [item for item in answer.output if item.type == "function_call"]
    return Heard(
        text=answer.output_text,
        calls=[(call.name, json.loads(call.arguments)) for call in calls],
        ids=[call.call_id for call in calls],
        stop=answer.status,
        tokens=(answer.usage.input_tokens, answer.usage.output_tokens),
    )


def _message(answer: Any) -> Heard:
    calls = [block for block in answer.content if block.type == "tool_use"]
    return Heard(
        text="".join(block.text for block in answer.content if block.type == "text"),
        calls=[(call.name, call.input) for call in calls],
        ids=[call.id for call in calls],
        stop=answer.stop_reason,
        tokens=(_all_input(answer.usage), answer.usage.output_tokens),
    )


def _all_input(usage: Any) -> int:
    cached: int = usage.cache_read_input_tokens + usage.cache_creation_input_tokens
    return cached + int(usage.input_tokens)


def _message_stream(found: Iterator[Any]) -> Heard:
    text, stop, tokens = "", "", (0, 0)
    blocks: dict[int, Any] = {}
    arguments: dict[int, str] = {}
    for event in found:
        match event.type:
            case "content_block_start":
                blocks[event.index] = event.content_block
            case "content_block_delta" if event.delta.type == "text_delta":
                text += event.delta.text
            case "content_block_delta" if event.delta.type == "input_json_delta":
                arguments[event.index] = arguments.get(event.index, "") + event.delta.partial_json
            case "message_delta":
                stop = event.delta.stop_reason
                tokens = (_all_input(event.usage), event.usage.output_tokens)
            case _:
                pass
    names = [(blocks[index].name, json.loads(given)) for index, given in arguments.items()]
    return Heard(text, names, [blocks[index].id for index in arguments], stop, tokens)


def _chat_stream(found: Iterator[Any]) -> Heard:
    text, stop, tokens = "", "", (0, 0)
    begun: dict[int, Any] = {}
    arguments: dict[int, str] = {}
    for chunk in found:
        if chunk.usage:
            tokens = (chunk.usage.prompt_tokens, chunk.usage.completion_tokens)
        for choice in chunk.choices:
            text += choice.delta.content or ""
            stop = choice.finish_reason or stop
            calls: Any = choice.delta.tool_calls or []
            for call in calls:
                begun.setdefault(call.index, call)
                given = arguments.get(call.index, "")
                arguments[call.index] = given + (call.function.arguments or "")
    names = [(begun[index].function.name, json.loads(it)) for index, it in arguments.items()]
    return Heard(text, names, [call.id for call in begun.values()], stop, tokens)

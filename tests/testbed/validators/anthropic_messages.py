"""Whether a Messages request is one Anthropic would accept, and stricter where order matters.

Stricter than the vendor: results come in the order of their calls, thinking comes before calls,
and the conversation ends with the user.
"""

import re
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

from testbed.validators import anthropic_blocks, parameters
from testbed.validators.anthropic_blocks import blocks_of
from testbed.validators.shape import (
    Json,
    extra_keys,
    is_count,
    is_list,
    is_object,
    not_matching,
    objects,
    repeated,
    text_of,
)

TOOL_NAME = re.compile(r"^[a-zA-Z0-9_-]{1,128}$")
THINKING = frozenset({"enabled", "disabled", "adaptive"})
CHOICES = frozenset({"auto", "any", "tool", "none"})


def violations(request: Json) -> list[str]:
    """Say everything that is wrong with the request; nothing when it is right."""
    return [
        *_settings(request),
        *_thinking(request),
        *_tools(request),
        *_tool_choice(request),
        *_system(request.get("system")),
        *_messages(request),
        *anthropic_blocks.limits(request),
    ]


def _settings(request: Json) -> Iterator[str]:
    yield from extra_keys(request, parameters.MESSAGES, "")
    if not text_of(request, "model"):
        yield "model: Field required"
    if "max_tokens" not in request:
        yield "max_tokens: Field required"
    elif not is_count(request["max_tokens"]):
        yield "max_tokens: Input should be greater than or equal to 1"
    if not isinstance(request.get("stream", False), bool):
        yield "stream: Input should be a valid boolean"


def _thinking(request: Json) -> Iterator[str]:
    thinking = request.get("thinking")
    if thinking is None:
        return
    if not is_object(thinking) or text_of(thinking, "type") not in {
        "enabled",
        "disabled",
        "adaptive",
    }:
        yield "thinking.type: Input should be 'enabled', 'disabled' or 'adaptive'"
        return
    if thinking["type"] != "enabled":
        return
    budget, most = thinking.get("budget_tokens"), request.get("max_tokens")
    if not is_count(budget) or budget < 1024:
        yield "thinking.enabled.budget_tokens: Input should be greater than or equal to 1024"
    elif is_count(most) and most <= budget:
        yield "`max_tokens` must be greater than `thinking.budget_tokens`"


def _tools(request: Json) -> Iterator[str]:
    if "tools" not in request:
        if _mentions_tools(request):
            yield "Requests which include `tool_use` or `tool_result` blocks must define tools"
        return
    tools = request["tools"]
    if not is_list(tools):
        yield "tools: Input should be a valid list"
        return
    for place, tool in enumerate(tools):
        yield from _tool(tool, f"tools.{place}.custom")
    for name in repeated(text_of(tool, "name") for tool in objects(tools)):
        yield f"tools: Tool names must be unique. Found {name!r} twice."


def _mentions_tools(request: Json) -> bool:
    return any(
        text_of(block, "type") in {"tool_use", "tool_result"}
        for message in objects(request.get("messages"))
        for block in blocks_of(message)
    )


def _tool(tool: object, where: str) -> Iterator[str]:
    if not is_object(tool):
        yield f"{where}: Input should be a valid dictionary"
        return
    if tool.get("type", "custom") != "custom":
        return  # a tool of the vendor's own has no schema of ours
    yield from not_matching(tool.get("name"), TOOL_NAME, f"{where}.name")
    schema = tool.get("input_schema")
    if not is_object(schema):
        yield f"{where}.input_schema: Field required"
    elif schema.get("type") != "object":
        yield f"{where}.input_schema.type: Input should be 'object'"
    if not isinstance(tool.get("description", ""), str):
        yield f"{where}.description: Input should be a valid string"


def _tool_choice(request: Json) -> Iterator[str]:
    choice = request.get("tool_choice")
    if choice is None:
        return
    if not request.get("tools"):
        yield "tool_choice: may only be specified while providing tools"
    if not is_object(choice) or text_of(choice, "type") not in CHOICES:
        yield "tool_choice: Input tag should be 'auto', 'any', 'tool' or 'none'"
        return
    names = [text_of(tool, "name") for tool in objects(request.get("tools"))]
    if choice["type"] == "tool" and choice.get("name") not in names:
        yield f"tool_choice: Tool '{choice.get('name')}' not found in provided tools"
    if not isinstance(choice.get("disable_parallel_tool_use", False), bool):
        yield "tool_choice.disable_parallel_tool_use: Input should be a valid boolean"
    thinking = request.get("thinking")
    forced = choice["type"] in {"any", "tool"}
    if forced and is_object(thinking) and thinking.get("type") == "enabled":
        yield "Thinking may not be enabled when tool_choice forces tool use"


def _system(system: object) -> Iterator[str]:
    if system is None or isinstance(system, str):
        return
    if not is_list(system):
        yield "system: Input should be a valid string or list"
        return
    for place, block in enumerate(system):
        if not is_object(block) or block.get("type") != "text":
            yield f"system.{place}.type: Input should be 'text'"
        elif not text_of(block, "text").strip():
            yield "system: text content blocks must be non-empty"


def _messages(request: Json) -> Iterator[str]:
    messages = request.get("messages")
    if not is_list(messages) or not messages:
        yield "messages: at least one message is required"
        return
    for place, message in enumerate(messages):
        if is_object(message):
            yield from anthropic_blocks.message(message, f"messages.{place}")
        else:
            yield f"messages.{place}: Input should be a valid dictionary"
    known = objects(messages)
    yield from _alternation(known)
    yield from _pairing(known)
    yield from _open_turn(request, known)


def _alternation(messages: list[Json]) -> Iterator[str]:
    roles = [message.get("role") for message in messages]
    if roles[:1] != ["user"]:
        yield 'messages: first message must use the "user" role'
    if roles[-1:] != ["user"]:
        yield (
            "This model does not support assistant message prefill. The conversation must end "
            "with a user message."
        )
    for place, (one, next_one) in enumerate(pairwise(roles)):
        if one == next_one:
            yield (
                'messages: roles must alternate between "user" and "assistant", but found '
                f'multiple "{one}" roles in a row (messages.{place + 1})'
            )


def _pairing(messages: list[Json]) -> Iterator[str]:
    seen: set[str] = set()
    open_calls: list[str] = []
    for place, message in enumerate(messages):
        where = f"messages.{place}"
        results = [
            text_of(block, "tool_use_id")
            for block in blocks_of(message)
            if block.get("type") == "tool_result"
        ]
        yield from _answers(open_calls, results, message, where)
        open_calls = [
            text_of(block, "id") for block in blocks_of(message) if block.get("type") == "tool_use"
        ]
        for call in [call for call in set(open_calls) if call in seen] + repeated(open_calls):
            yield f"messages: `tool_use` ids must be unique. Found {call!r} again in {where}."
        seen.update(open_calls)
    yield from _unanswered(open_calls, f"messages.{len(messages) - 1}")


def _answers(calls: list[str], results: list[str], message: Json, where: str) -> Iterator[str]:
    """Say what is wrong with the results in the message that follows the calls."""
    yield from _unanswered([call for call in calls if call not in results], where)
    for result in results:
        if result not in calls:
            yield (
                f"{where}: unexpected `tool_use_id` found in `tool_result` blocks: {result}. Each "
                "`tool_result` block must have a corresponding `tool_use` block in the previous "
                "message."
            )
    for result in repeated(results):
        yield (
            f"{where}: each tool_use must have a single result. Found multiple `tool_result` "
            f"blocks with id: {result}"
        )
    first = [block.get("type") for block in blocks_of(message)[: len(results)]]
    if any(kind != "tool_result" for kind in first):
        yield f"{where}: `tool_result` blocks must come before all other content"
    if sorted(calls) == sorted(results) and calls != results:
        yield f"{where}: `tool_result` blocks must be in the order of their `tool_use` blocks"


def _unanswered(calls: list[str], where: str) -> Iterator[str]:
    if calls:
        yield (
            f"{where}: `tool_use` ids were found without `tool_result` blocks immediately after: "
            f"{', '.join(calls)}. Each `tool_use` block must have a corresponding `tool_result` "
            "block in the next message."
        )


def _open_turn(request: Json, messages: list[Json]) -> Iterator[str]:
    """With thinking on, a turn still in its tool loop must have begun with thinking."""
    thinking: Any = request.get("thinking")
    if not is_object(thinking) or thinking.get("type") != "enabled" or len(messages) < 2:
        return
    asked, answer = messages[-2], messages[-1]
    first = next((text_of(block, "type") for block in blocks_of(asked)), "")
    in_loop = any(block.get("type") == "tool_result" for block in blocks_of(answer))
    if in_loop and first not in {"thinking", "redacted_thinking"}:
        yield (
            f"messages.{len(messages) - 2}.content.0.type: Expected `thinking` or "
            f"`redacted_thinking`, but found `{first}`. When `thinking` is enabled, a final "
            "`assistant` message must start with a thinking block."
        )

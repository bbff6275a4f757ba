"""Whether a Chat Completions request is one OpenAI would accept, and stricter where order matters.

Stricter than the vendor: results come in the order of their calls, call ids are unique in the whole
history, arguments are JSON of an object, no message is empty, and the last message is not the
assistant's (as other servers of this wire format demand).
"""

import re
from collections.abc import Iterator

from testbed.validators import parameters
from testbed.validators.openai_settings import function_schema, names, tool_choice, unsupported
from testbed.validators.shape import (
    Json,
    is_count,
    is_json_object_text,
    is_list,
    is_object,
    objects,
    repeated,
    text_of,
)

REASONS = ("reasoning_content", "reasoning", "reasoning_details")
SAID = frozenset({"role", "content", "name", "refusal", "audio", "tool_calls", *REASONS})
KEYS = {
    "system": frozenset({"role", "content", "name"}),
    "developer": frozenset({"role", "content", "name"}),
    "user": frozenset({"role", "content", "name"}),
    "assistant": SAID,
    "tool": frozenset({"role", "content", "tool_call_id", "name"}),
}
NAME = re.compile(r"^[a-zA-Z0-9_-]{1,64}$")
MAX_ID = 40


def violations(request: Json) -> list[str]:
    """Say everything that is wrong with the request; nothing when it is right."""
    return [*_settings(request), *_tools(request), *_messages(request.get("messages"))]


def _settings(request: Json) -> Iterator[str]:
    for key in request:
        if key not in parameters.CHAT:
            yield f"Unrecognized request argument supplied: {key}"
    if not text_of(request, "model"):
        yield "you must provide a model parameter"
    if "stream_options" in request and request.get("stream") is not True:
        yield "The 'stream_options' parameter is only allowed when 'stream' is enabled."
    if "max_tokens" in request and "max_completion_tokens" in request:
        yield "Setting 'max_tokens' and 'max_completion_tokens' at the same time is not supported."
    for key in ("max_tokens", "max_completion_tokens"):
        if key in request and not is_count(request[key]):
            yield f"Invalid '{key}': integer below minimum value. Expected a value >= 1."


def _tools(request: Json) -> Iterator[str]:
    tools = request.get("tools")
    if tools is None:
        for key in ("parallel_tool_calls", "tool_choice"):
            if request.get(key) is not None:
                yield f"'{key}' is only allowed when 'tools' are specified."
        return
    if not is_list(tools) or not tools:
        yield "[] is too short - 'tools'"
        return
    functions: list[Json] = []
    for place, tool in enumerate(tools):
        function = tool.get("function") if is_object(tool) else None
        if not is_object(function) or tool.get("type") != "function":
            yield f"Missing required parameter: 'tools[{place}].function'."
            continue
        functions.append(function)
        yield from function_schema(function, f"tools[{place}].function")
    yield from names(functions)
    if not isinstance(request.get("parallel_tool_calls", False), bool):
        yield "Invalid type for 'parallel_tool_calls': expected a boolean."
    yield from tool_choice(request.get("tool_choice"), functions, "function")


def _messages(messages: object) -> Iterator[str]:
    if not is_list(messages) or not messages:
        yield "[] is too short - 'messages'"
        return
    for place, message in enumerate(messages):
        if is_object(message) and text_of(message, "role") in KEYS:
            yield from _message(message, f"messages[{place}]")
        else:
            yield (
                f"Invalid value for 'messages[{place}].role': supported values are: 'system', "
                "'assistant', 'user', 'tool', and 'developer'."
            )
    known = objects(messages)
    yield from _pairing(known)
    last = text_of(known[-1], "role") if known else ""
    if last not in {"user", "tool"}:
        yield f"Expected last role User or Tool for serving but got {last}"


def _message(message: Json, where: str) -> Iterator[str]:
    role = text_of(message, "role")
    for key in message:
        if key not in KEYS[role]:
            yield f"Additional properties are not allowed ('{key}' was unexpected) - '{where}'"
    content = message.get("content")
    if role == "assistant":
        yield from _assistant(message, where)
        return
    if role == "tool":
        if not text_of(message, "tool_call_id"):
            yield f"Missing required parameter: '{where}.tool_call_id'."
        kinds = frozenset({"text"})
    else:
        kinds = frozenset(
            {"text", "image_url", "input_audio", "file"} if role == "user" else ["text"]
        )
        if content in ("", []):
            yield f"Invalid value for '{where}.content': must not be empty."
    yield from _content(content, kinds, where)


def _content(content: object, kinds: frozenset[str], where: str) -> Iterator[str]:
    if isinstance(content, str):
        return
    if not is_list(content):
        got = "null" if content is None else type(content).__name__
        yield f"Invalid value for 'content': expected a string, got {got}. ('{where}')"
        return
    for place, part in enumerate(content):
        kind = text_of(part, "type") if is_object(part) else ""
        if kind not in kinds:
            yield unsupported(kind, kinds, f"{where}.content[{place}].type")
        elif kind == "text" and not text_of(part, "text"):
            yield f"Invalid value for '{where}.content[{place}].text': must not be empty."
        elif kind == "image_url":
            yield from _image(part.get("image_url"), f"{where}.content[{place}]")


def _image(image: object, where: str) -> Iterator[str]:
    url = text_of(image, "url") if is_object(image) else ""
    if not url.startswith(("https://", "http://", "data:image/")):
        yield f"Invalid '{where}.image_url.url'. Expected a valid URL."


def _assistant(message: Json, where: str) -> Iterator[str]:
    content, calls = message.get("content"), message.get("tool_calls")
    if calls is None:
        if content in ("", []):
            yield f"Invalid value for '{where}.content': must not be empty."
        yield from _content(content, frozenset({"text", "refusal"}), where)
        return
    if content is not None:
        yield from _content(content, frozenset({"text", "refusal"}), where)
    if not is_list(calls) or not calls:
        yield f"[] is too short - '{where}.tool_calls'"
        return
    for place, call in enumerate(calls):
        yield from _call(call, f"{where}.tool_calls[{place}]")


def _call(call: object, where: str) -> Iterator[str]:
    function = call.get("function") if is_object(call) else None
    if not is_object(call) or call.get("type") != "function" or not is_object(function):
        yield f"Missing required parameter: '{where}.function'."
        return
    identity = call.get("id")
    if not isinstance(identity, str) or not identity:
        yield f"Missing required parameter: '{where}.id'."
    elif len(identity) > MAX_ID:
        yield (
            f"Invalid '{where}.id': string too long. Expected a string with maximum length "
            f"{MAX_ID}, but got a string with length {len(identity)} instead."
        )
    if not NAME.fullmatch(text_of(function, "name")):
        yield (
            f"Invalid '{where}.function.name': string does not match pattern. Expected a string "
            "that matches the pattern '^[a-zA-Z0-9_-]+$'."
        )
    arguments = function.get("arguments")
    if not isinstance(arguments, str):
        yield f"Invalid type for '{where}.function.arguments': expected a string."
    elif not is_json_object_text(arguments):
        yield f"Invalid '{where}.function.arguments': expected a string of JSON of an object."


def _pairing(messages: list[Json]) -> Iterator[str]:
    seen: set[str] = set()
    open_calls: list[str] = []
    for place, message in enumerate(messages):
        if message.get("role") == "tool":
            yield from _result(text_of(message, "tool_call_id"), open_calls, seen, place)
            continue
        yield from _unanswered(open_calls)
        open_calls = [text_of(call, "id") for call in objects(message.get("tool_calls"))]
        for call in [call for call in set(open_calls) if call in seen] + repeated(open_calls):
            yield f"Duplicate value for 'tool_calls[].id' of '{call}' in messages[{place}]."
        seen.update(open_calls)
    yield from _unanswered(open_calls)


def _result(result: str, open_calls: list[str], seen: set[str], place: int) -> Iterator[str]:
    """Close the call that the result answers, and say what is wrong with the answer."""
    if result not in open_calls:
        reason = f"'{result}' was answered already or elsewhere." if result in seen else ""
        yield (
            "Invalid parameter: messages with role 'tool' must be a response to a preceeding "
            f"message with 'tool_calls'. {reason}('messages[{place}]')"
        )
        return
    if open_calls[0] != result:
        yield f"messages[{place}]: tool messages must be in the order of their 'tool_calls'."
    open_calls.remove(result)


def _unanswered(calls: list[str]) -> Iterator[str]:
    if calls:
        yield (
            "An assistant message with 'tool_calls' must be followed by tool messages responding "
            "to each 'tool_call_id'. The following tool_call_ids did not have response messages: "
            f"{', '.join(calls)}"
        )

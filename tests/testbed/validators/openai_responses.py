"""Whether a Responses request is one OpenAI would accept, and stricter where order matters.

Stricter than the vendor: nothing is kept between requests (ids of earlier responses are unknown),
outputs come in the order of their calls and before anything else, arguments are JSON of an object,
and the input does not end with the assistant.
"""

from collections.abc import Iterator

from testbed.validators import openai_items, parameters
from testbed.validators.openai_settings import function_schema, names, tool_choice
from testbed.validators.shape import Json, is_count, is_list, is_object, objects, repeated, text_of

MOVED = {"messages": "input", "max_tokens": "max_output_tokens", "response_format": "text.format"}
MIN_OUTPUT = 16


def violations(request: Json) -> list[str]:
    """Say everything that is wrong with the request; nothing when it is right."""
    return [*_settings(request), *_tools(request), *_input(request)]


def _settings(request: Json) -> Iterator[str]:
    for key in request:
        if key in MOVED:
            yield (
                f"Unsupported parameter: '{key}'. In the Responses API, this parameter has moved "
                f"to '{MOVED[key]}'."
            )
        elif key not in parameters.RESPONSES:
            yield f"Unknown parameter: '{key}'."
    if not text_of(request, "model"):
        yield "Missing required parameter: 'model'."
    most = request.get("max_output_tokens", MIN_OUTPUT)
    if not is_count(most) or most < MIN_OUTPUT:
        yield f"Invalid 'max_output_tokens': Expected a value >= {MIN_OUTPUT}."
    if request.get("previous_response_id") is not None:
        yield f"Previous response with id '{request['previous_response_id']}' not found."
    if not isinstance(request.get("instructions") or "", str):
        yield "Invalid type for 'instructions': expected a string."


def _tools(request: Json) -> Iterator[str]:
    tools = request.get("tools", [])
    if not is_list(tools):
        yield "Invalid type for 'tools': expected an array of objects."
        return
    if not tools and request.get("tool_choice") not in (None, "none", "auto"):
        yield "Tool choice must be specified with 'tools' parameter."
    functions: list[Json] = []
    for place, tool in enumerate(tools):
        if not is_object(tool) or not text_of(tool, "type"):
            yield f"Missing required parameter: 'tools[{place}].type'."
        elif tool["type"] == "function":
            functions.append(tool)
            yield from function_schema(tool, f"tools[{place}]")
    yield from names(functions)
    if tools:
        yield from tool_choice(request.get("tool_choice"), functions)
    if not isinstance(request.get("parallel_tool_calls", False), bool):
        yield "Invalid type for 'parallel_tool_calls': expected a boolean."


def _input(request: Json) -> Iterator[str]:
    items = request.get("input")
    if isinstance(items, str) and items:
        return
    if not is_list(items) or not items:
        yield "Missing required parameter: 'input'."
        return
    stored = request.get("store", True) is not False
    for place, item in enumerate(items):
        if is_object(item):
            yield from openai_items.item(item, f"input[{place}]", stored=stored)
        else:
            yield f"Invalid type for 'input[{place}]': expected an object."
    known = objects(items)
    for name in repeated(text_of(item, "id") for item in known if text_of(item, "id")):
        yield f"Duplicate item found with id {name}. Remove duplicate items from your input."
    yield from _pairing(known)
    yield from _reasoning(known)
    if known and known[-1].get("role") == "assistant":
        yield "The input must end with a user message or a function_call_output."


def _pairing(items: list[Json]) -> Iterator[str]:
    seen: set[str] = set()
    open_calls: list[str] = []
    answering = False
    for place, item in enumerate(items):
        kind = item.get("type", "message")
        call = text_of(item, "call_id")
        if kind == "function_call_output":
            answering = True
            yield from _output(call, open_calls, seen, place)
            continue
        if open_calls and (answering or item.get("role", "assistant") != "assistant"):
            yield from _unanswered(open_calls)
            open_calls = []
        answering = False
        if kind == "function_call":
            if call in seen:
                yield f"Duplicate function_call with call_id '{call}' in input[{place}]."
            seen.add(call)
            open_calls.append(call)
    yield from _unanswered(open_calls)


def _output(call: str, open_calls: list[str], seen: set[str], place: int) -> Iterator[str]:
    """Close the call that the output answers, and say what is wrong with the answer."""
    if call not in open_calls:
        reason = " It was answered already or elsewhere." if call in seen else ""
        yield (
            f"No tool call found for function call output with call_id {call}.{reason} "
            f"(input[{place}])"
        )
        return
    if open_calls[0] != call:
        yield f"input[{place}]: function_call_output items must be in the order of their calls."
    open_calls.remove(call)


def _unanswered(calls: list[str]) -> Iterator[str]:
    for call in calls:
        yield f"No tool output found for function call {call}."


def _reasoning(items: list[Json]) -> Iterator[str]:
    """A reasoning item belongs to the item of the same response that follows it."""
    for item, following in zip(items, [*items[1:], {}], strict=False):
        if item.get("type") != "reasoning":
            continue
        kind = following.get("type", "message")
        said = kind == "message" and following.get("role") == "assistant"
        if not said and kind not in ("reasoning", "function_call"):
            yield (
                f"Item '{item.get('id')}' of type 'reasoning' was provided without its required "
                "following item."
            )

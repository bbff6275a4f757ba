"""Ways to break the rules of items and settings in a Responses request."""

from typing import Any

from testbed.histories.openai_responses import (
    PAIRS,
    SEALED,
    call,
    every,
    output,
    reasoning,
)
from testbed.histories.turns import Json, Mutation
from testbed.validators.shape import is_list, objects


def final(request: Json) -> Json:
    found: Json = request["input"][-1]
    return found


def spoken(request: Json) -> Json:
    return next(item for item in every(request, "message") if item["role"] == "assistant")


def part(request: Json) -> Json:
    found: Json = final(request)["content"][0]
    return found


def picture(request: Json) -> Json:
    outputs: list[Any] = [item["output"] for item in every(request, "function_call_output")]
    return next(objects(found)[0] for found in outputs if is_list(found))


def thought(request: Json) -> Json:
    found: Json = request["input"][reasoning(request)]
    return found


MISSING, EMPTY, OBJECT = "Missing required parameter", "must not be empty", "of JSON of an object"
UNKNOWN, VALUE, PATTERN = "Unknown parameter", "Supported values are", "does not match pattern"
NOT_FOUND, TYPE, LONG = "not found", "Invalid type", "string too long"
ITEMS: list[Mutation] = [
    ("no input", MISSING, lambda r: r.update(input=[])),
    ("an empty string", MISSING, lambda r: r.update(input="")),
    ("an item that is text", TYPE, lambda r: r["input"].append("x")),
    ("an item unknown", VALUE, lambda r: final(r).update(type="tool_result")),
    ("an item referred to", NOT_FOUND, lambda r: final(r).update(type="item_reference", id="x")),
    ("a key of our own", UNKNOWN, lambda r: final(r).update(outcome="ok")),
    ("a role unknown", VALUE, lambda r: final(r).update(role="tool")),
    ("a message without content", EMPTY, lambda r: final(r).update(content=None)),
    ("a message of no parts", EMPTY, lambda r: final(r).update(content=[])),
    ("an empty message", EMPTY, lambda r: final(r).update(content="")),
    ("an empty part", EMPTY, lambda r: part(r).update(text="")),
    ("content of a number", TYPE, lambda r: final(r).update(content=1)),
    ("a part of chat", VALUE, lambda r: part(r).update(type="text")),
    ("a part that is text", VALUE, lambda r: final(r).update(content=["x"])),
    ("the user speaks as assistant", VALUE, lambda r: part(r).update(type="output_text")),
    (
        "the assistant speaks as user",
        VALUE,
        lambda r: spoken(r)["content"][0].update(type="input_text"),
    ),
    ("a message by a foreign id", "begins with 'msg'", lambda r: spoken(r).update(id="chatcmpl-1")),
    ("a call without call_id", MISSING, lambda r: call(r).pop("call_id")),
    ("a call with an empty call_id", MISSING, lambda r: call(r).update(call_id="")),
    ("a call_id too long", LONG, lambda r: call(r).update(call_id="c" * 65)),
    ("a call by its call_id", "begins with 'fc'", lambda r: call(r).update(id=call(r)["call_id"])),
    ("a call's id of none", "begins with 'fc'", lambda r: call(r).update(id=None)),
    ("a call without name", PATTERN, lambda r: call(r).pop("name")),
    ("a call's name with a blank", PATTERN, lambda r: call(r).update(name="read file")),
    ("a call's name too long", PATTERN, lambda r: call(r).update(name="n" * 65)),
    ("a call's function nested", UNKNOWN, lambda r: call(r).update(function={"name": "x"})),
    ("arguments as an object", "expected a string", lambda r: call(r).update(arguments={})),
    ("arguments cut off", OBJECT, lambda r: call(r).update(arguments='{"path"')),
    ("arguments empty", OBJECT, lambda r: call(r).update(arguments="")),
    ("arguments of null", OBJECT, lambda r: call(r).update(arguments="null")),
    ("an output without call_id", MISSING, lambda r: output(r).pop("call_id")),
    ("an output without output", MISSING, lambda r: output(r).pop("output")),
    ("an output of an object", TYPE, lambda r: output(r).update(output={"a": 1})),
    ("an output of the assistant", VALUE, lambda r: output(r).update(output=spoken(r)["content"])),
    ("a picture of nothing", MISSING, lambda r: picture(r).pop("image_url")),
    ("reasoning without id", MISSING, lambda r: thought(r).pop("id")),
    ("reasoning without summary", MISSING, lambda r: thought(r).pop("summary")),
    ("reasoning by a foreign id", "begins with 'rs'", lambda r: thought(r).update(id="msg_1")),
    ("reasoning with an empty seal", SEALED, lambda r: thought(r).update(encrypted_content="")),
]
SETTINGS: list[Mutation] = [
    ("no model", MISSING, lambda r: r.pop("model")),
    ("messages of chat", "moved to 'input'", lambda r: r.update(messages=r["input"])),
    ("max_tokens of chat", "moved to 'max_output", lambda r: r.update(max_tokens=100)),
    ("a parameter unknown", UNKNOWN, lambda r: r.update(max_completion_tokens=100)),
    ("a limit too small", ">= 16", lambda r: r.update(max_output_tokens=15)),
    ("a response before", NOT_FOUND, lambda r: r.update(previous_response_id="resp_1")),
    ("instructions of a list", TYPE, lambda r: r.update(instructions=["x"])),
    ("tools as an object", TYPE, lambda r: r.update(tools={})),
    ("a tool without type", MISSING, lambda r: r["tools"][0].pop("type")),
    ("a tool of chat", MISSING, lambda r: r.update(tools=[{"type": "function", "function": {}}])),
    ("a tool's name with a dot", PATTERN, lambda r: r["tools"][0].update(name="a.b")),
    ("a schema of a list", "of type 'object'", lambda r: r["tools"][0].update(parameters=[])),
    (
        "a loose strict tool",
        "additionalProperties",
        lambda r: r["tools"][0].update(parameters={"type": "object"}),
    ),
    ("a tool twice", "must be unique", lambda r: r["tools"].append(r["tools"][0])),
    ("parallel as text", "expected a boolean", lambda r: r.update(parallel_tool_calls="yes")),
    ("a choice of none", "must be specified", lambda r: r.update(tools=[], tool_choice="required")),
    ("a choice unknown", "supported values", lambda r: r.update(tool_choice="any")),
    (
        "a tool not there",
        "no function named",
        lambda r: r.update(tool_choice={"type": "function", "name": "x"}),
    ),
]
MUTATIONS = [*PAIRS, *ITEMS, *SETTINGS]

"""Schemas that a vendor holds the model to: only where that changes nothing of what they mean."""

from typing import Any

import msgspec
import pytest
from testbed.validators.openai_settings import not_strict

from agent_cli.runtime.prepare import parse_arguments
from agent_cli.tools.registry import built_in, spec
from agent_cli.types.messages import UserMessage
from agent_cli.types.requests import ModelRequest, ToolSpec
from agent_cli.wire import openai_chat, openai_responses
from agent_cli.wire.codec import Codec
from agent_cli.wire.frames import Fragments
from agent_cli.wire.strict_schema import strict

TEXT = {"type": "string"}
MAYBE = {"anyOf": [TEXT, {"type": "null"}], "default": None}


def thing(*required: str, **properties: object) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": [*required]}


def closed(**properties: object) -> dict[str, Any]:
    return {**thing(*properties, **properties), "additionalProperties": False}


def made(schema: object) -> ToolSpec:
    return strict(ToolSpec("f", "does", msgspec.Raw(msgspec.json.encode(schema))))


def nested(depth: int) -> dict[str, Any]:
    return thing("a", a=nested(depth - 1)) if depth else TEXT


SAID = {
    "all required": (thing("a", a=TEXT), closed(a=TEXT)),
    "optional and nullable": (thing(a=MAYBE), closed(a={"anyOf": [TEXT, {"type": "null"}]})),
    "a list of types": (
        thing(a={"type": ["string", "null"]}),
        closed(a={"type": ["string", "null"]}),
    ),
    "within a list": (
        thing("a", a={"type": "array", "items": thing(b=MAYBE), "minItems": 1}),
        closed(
            a={
                "type": "array",
                "items": closed(b={"anyOf": [TEXT, {"type": "null"}]}),
                "minItems": 1,
            }
        ),
    ),
    "a choice without a type": (
        thing("a", a={"enum": ["x", "y"]}),
        closed(a={"type": "string", "enum": ["x", "y"]}),
    ),
    "a number that is bounded": (
        thing("a", a={"type": "integer", "minimum": 0}),
        closed(a={"type": "integer", "minimum": 0}),
    ),
    "limits that the vendor does not know": (
        thing("a", a={"type": "string", "minLength": 1, "title": "A"}),
        closed(a=TEXT),
    ),
    "no arguments": ({**thing(), "additionalProperties": False}, closed()),
    "five levels": (nested(5), None),
}


@pytest.mark.trap("T-18")
@pytest.mark.parametrize(("schema", "expected"), SAID.values(), ids=SAID)
def test_what_is_required_or_nullable_is_enforced(schema: object, expected: object):
    found = made(schema)
    assert found.strict
    written = msgspec.json.decode(found.schema)
    assert not list(not_strict(written, "()"))
    assert expected is None or written == expected


LEFT = {
    "optional and not nullable": thing(a=TEXT),
    "optional in an object of a list": thing("a", a={"type": "array", "items": thing(b=TEXT)}),
    "anything": thing("a", a={}),
    "any object": thing("a", a={"type": "object"}),
    "an open object": {**thing("a", a=TEXT), "additionalProperties": True},
    "a map": thing("a", a={"type": "object", "additionalProperties": TEXT}),
    "no properties": {"type": "object"},
    "a list of anything": thing("a", a={"type": "array"}),
    "a keyword that is not known": {**thing("a", a=TEXT), "oneOf": [TEXT]},
    "a reference": thing("a", a={"$ref": "#/$defs/a"}),
    "several shapes": {**thing("a", a=TEXT), "anyOf": [thing("a", a=TEXT)]},
    "no object": {"type": "array", "items": TEXT},
    "required and not there": thing("b", a=MAYBE),
    "six levels": nested(6),
    "too many properties": thing(**{f"p{number}": MAYBE for number in range(101)}),
    "no schema": [],
}


@pytest.mark.trap("T-18")
@pytest.mark.parametrize("schema", LEFT.values(), ids=LEFT)
def test_what_would_change_is_left_as_it_is(schema: object):
    found = made(schema)
    assert not found.strict
    assert msgspec.json.decode(found.schema) == msgspec.json.decode(msgspec.json.encode(schema))


OWN = [pytest.param(tool, id=name) for name, tool in built_in().items()]


@pytest.mark.parametrize("tool", OWN)
def test_our_own_tools_are_strict_and_take_null_for_absent(tool):
    found = strict(spec(tool))
    written = msgspec.json.decode(found.schema)
    assert found.strict == (tool.name != "use_mcp_tool"), "its arguments are any object"
    if found.strict:
        assert not list(not_strict(written, "()"))
        parse_arguments(msgspec.json.encode(least(written)).decode(), tool)


def least(node: dict[str, Any]) -> object:
    """The value that says least: null wherever that is allowed."""
    if "anyOf" in node:
        return None if {"type": "null"} in node["anyOf"] else least(node["anyOf"][0])
    match node["type"]:
        case "object":
            return {name: least(inner) for name, inner in node["properties"].items()}
        case "array":
            return [least(node["items"])]
        case "string":
            return node["enum"][0] if "enum" in node else "x"
        case other:
            return {"integer": 1, "boolean": True}[other]


@pytest.mark.parametrize("codec", [openai_chat, openai_responses], ids=lambda codec: codec.NAME)
@pytest.mark.parametrize("schema", [thing("a", a=TEXT), thing(a=TEXT)], ids=["strict", "not"])
def test_both_wires_say_so_and_read_it_back(codec: Codec, schema: object):
    tool = made(schema)
    request = ModelRequest("m", "", (UserMessage("hi"),), (tool,))
    body = codec.encode_request(request, Fragments())
    assert codec.decode_request(body).tools == (tool,)
    (written,) = msgspec.json.decode(body)["tools"]
    assert written.get("function", written).get("strict", False) is tool.strict

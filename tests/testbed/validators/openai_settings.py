"""What both OpenAI wire formats say about functions and the choice between them."""

import re
from collections.abc import Iterable, Iterator
from typing import cast

from testbed.validators.shape import Json, is_object, repeated, text_of

NAME = re.compile(r"^[a-zA-Z0-9_-]{1,64}$")
STRICT = frozenset(
    {
        "type", "description", "properties", "required", "additionalProperties", "items", "anyOf",
        "enum", "const", "pattern", "format", "minimum", "maximum", "exclusiveMinimum",
        "exclusiveMaximum", "multipleOf", "minItems", "maxItems", "$ref", "$defs",
    }
)  # fmt: skip
"""What a strict function's schema may say."""


def function_schema(function: Json, where: str) -> Iterator[str]:
    """Say what is wrong with one offered function."""
    name = text_of(function, "name")
    if not name:
        yield f"Missing required parameter: '{where}.name'."
    elif not NAME.fullmatch(name):
        yield (
            f"Invalid '{where}.name': string does not match pattern. Expected a string that "
            "matches the pattern '^[a-zA-Z0-9_-]+$'."
        )
    schema = function.get("parameters", {"type": "object"})
    if not is_object(schema) or schema.get("type") != "object":
        yield f"Invalid schema for function '{name}': schema must be of type 'object'."
    if function.get("strict") and is_object(schema):
        for wrong in not_strict(schema, "()"):
            yield f"Invalid schema for function '{name}': {wrong}"


def not_strict(schema: object, where: str) -> Iterator[str]:
    """Say where a schema leaves the subset of JSON Schema that strict functions are held to."""
    if not is_object(schema):
        yield f"In context={where}, schema must be an object."
        return
    if not {"type", "anyOf"} & {*schema}:
        yield f"In context={where}, schema must have a 'type' key."
    for key in {*schema} - STRICT:
        yield f"In context={where}, '{key}' is not permitted."
    types = schema.get("type")
    if types == "object" or (isinstance(types, list) and "object" in types):
        yield from _not_closed(schema, where)
    for key, inner in _inner(schema):
        yield from not_strict(inner, f"{where}.{key}")


def _not_closed(schema: Json, where: str) -> Iterator[str]:
    properties = schema.get("properties")
    if schema.get("additionalProperties") is not False:
        yield f"In context={where}, 'additionalProperties' is required to be false."
    if not is_object(properties) or schema.get("required") != [*properties]:
        yield f"In context={where}, 'required' must include every key in properties."


def _inner(schema: Json) -> Iterator[tuple[str, object]]:
    properties = schema.get("properties")
    yield from properties.items() if is_object(properties) else ()
    if "items" in schema:
        yield "items", schema["items"]
    branches = schema.get("anyOf", [])
    yield from (("anyOf", one) for one in (branches if isinstance(branches, list) else [branches]))


def names(functions: list[Json]) -> Iterator[str]:
    for name in repeated(text_of(function, "name") for function in functions):
        yield f"Invalid 'tools': function names must be unique, found '{name}' twice."


def tool_choice(choice: object, functions: list[Json], nested: str = "") -> Iterator[str]:
    """Say what is wrong with the choice; `nested` is the key that chat wraps the name in."""
    if choice is None or choice in ("none", "auto", "required"):
        return
    if is_object(choice) and choice.get("type") == "allowed_tools":
        yield from _allowed(choice.get("allowed_tools") if nested else choice, functions, nested)
        return
    inner = choice.get(nested) if nested and is_object(choice) else choice
    if not is_object(inner):
        yield "Invalid value for 'tool_choice': supported values are 'none', 'auto' and 'required'."
    elif text_of(inner, "name") not in [text_of(function, "name") for function in functions]:
        yield f"Invalid value for 'tool_choice': no function named '{inner.get('name')}'."


def _allowed(choice: object, functions: list[Json], nested: str) -> Iterator[str]:
    if not is_object(choice) or choice.get("mode") not in ("auto", "required"):
        yield "Invalid value for 'tool_choice.mode': supported values are 'auto' and 'required'."
        return
    for tool in cast("list[Json]", choice.get("tools") or [{}]):
        named = tool.get(nested) if nested else tool
        yield from tool_choice({nested: named} if nested else named, functions, nested)


def unsupported(value: str, supported: Iterable[str], where: str) -> str:
    return f"Invalid value: '{value}'. Supported values are: {sorted(supported)} ('{where}')."

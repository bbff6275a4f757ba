"""What both OpenAI wire formats say about functions and the choice between them."""

import re
from collections.abc import Iterable, Iterator

from testbed.validators.shape import Json, is_object, repeated, text_of

NAME = re.compile(r"^[a-zA-Z0-9_-]{1,64}$")


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
    if (
        function.get("strict")
        and is_object(schema)
        and schema.get("additionalProperties") is not False
    ):
        yield f"Invalid schema for function '{name}': 'additionalProperties' must be false."


def names(functions: list[Json]) -> Iterator[str]:
    for name in repeated(text_of(function, "name") for function in functions):
        yield f"Invalid 'tools': function names must be unique, found '{name}' twice."


def tool_choice(choice: object, functions: list[Json], nested: str = "") -> Iterator[str]:
    """Say what is wrong with the choice; `nested` is the key that chat wraps the name in."""
    if choice is None or choice in ("none", "auto", "required"):
        return
    inner = choice.get(nested) if nested and is_object(choice) else choice
    if not is_object(inner):
        yield "Invalid value for 'tool_choice': supported values are 'none', 'auto' and 'required'."
    elif text_of(inner, "name") not in [text_of(function, "name") for function in functions]:
        yield f"Invalid value for 'tool_choice': no function named '{inner.get('name')}'."


def unsupported(value: str, supported: Iterable[str], where: str) -> str:
    return f"Invalid value: '{value}'. Supported values are: {sorted(supported)} ('{where}')."

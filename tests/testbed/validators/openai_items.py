"""One item of a Responses request, whatever its neighbours are."""

import re
from collections.abc import Callable, Iterator

from testbed.validators.openai_settings import unsupported
from testbed.validators.shape import Json, is_json_object_text, is_list, is_object, text_of

CALL_NAME = re.compile(r"^[a-zA-Z0-9_-]{1,64}$")
MAX_CALL_ID = 64
SPOKEN = frozenset({"output_text", "refusal"})
GIVEN = frozenset({"input_text", "input_image", "input_file"})
ROLES = frozenset({"user", "assistant", "system", "developer"})
PREFIX = {"message": "msg", "function_call": "fc", "reasoning": "rs", "function_call_output": "fc"}
KEYS = {
    "message": frozenset({"type", "role", "content", "id", "status", "phase"}),
    "function_call": frozenset(
        {"type", "call_id", "name", "arguments", "id", "status", "namespace"}
    ),
    "function_call_output": frozenset({"type", "call_id", "output", "id", "status"}),
    "reasoning": frozenset({"type", "id", "summary", "content", "encrypted_content", "status"}),
}


def item(item: Json, where: str, *, stored: bool) -> Iterator[str]:
    """Say what is wrong inside one item; `stored` is whether the vendor keeps responses."""
    kind = item.get("type", "message")
    if kind == "item_reference":
        yield f"Item with id '{item.get('id')}' not found."
        return
    if not isinstance(kind, str) or kind not in KEYS:
        yield unsupported(str(kind), KEYS, f"{where}.type")
        return
    for key in item:
        if key not in KEYS[kind]:
            yield f"Unknown parameter: '{where}.{key}'."
    prefix = PREFIX[kind]
    identity = item.get("id", prefix)
    if not isinstance(identity, str) or not identity.startswith(prefix):
        yield f"Invalid '{where}.id': '{identity}'. Expected an ID that begins with '{prefix}'."
    yield from CHECKS[kind](item, where)
    if kind == "reasoning" and not stored and not text_of(item, "encrypted_content"):
        yield (
            f"Item with id '{item.get('id')}' not found. Items are not persisted when `store` is "
            "set to false."
        )


def _message(item: Json, where: str) -> Iterator[str]:
    role = item.get("role")
    if not isinstance(role, str) or role not in ROLES:
        yield unsupported(str(role), ROLES, f"{where}.role")
        return
    content = item.get("content")
    if not content:
        yield f"Invalid value for '{where}.content': must not be empty."
        return
    yield from _parts(content, SPOKEN if role == "assistant" else GIVEN, f"{where}.content")


def _parts(content: object, kinds: frozenset[str], where: str) -> Iterator[str]:
    if isinstance(content, str):
        return
    if not is_list(content):
        yield f"Invalid type for '{where}': expected a string or an array of objects."
        return
    for place, part in enumerate(content):
        kind = text_of(part, "type") if is_object(part) else ""
        if kind not in kinds:
            yield unsupported(kind, kinds, f"{where}[{place}].type")
        elif kind in {"input_text", "output_text"} and not text_of(part, "text"):
            yield f"Invalid value for '{where}[{place}].text': must not be empty."
        elif kind == "input_image" and not (part.get("image_url") or part.get("file_id")):
            yield f"Missing required parameter: '{where}[{place}].image_url'."


def _call_id(item: Json, where: str) -> Iterator[str]:
    call = text_of(item, "call_id")
    if not call:
        yield f"Missing required parameter: '{where}.call_id'."
    elif len(call) > MAX_CALL_ID:
        yield (
            f"Invalid '{where}.call_id': string too long. Expected a string with maximum length "
            f"{MAX_CALL_ID}, but got a string with length {len(call)} instead."
        )


def _function_call(item: Json, where: str) -> Iterator[str]:
    yield from _call_id(item, where)
    if not CALL_NAME.fullmatch(text_of(item, "name")):
        yield (
            f"Invalid '{where}.name': string does not match pattern. Expected a string that "
            "matches the pattern '^[a-zA-Z0-9_-]+$'."
        )
    arguments = item.get("arguments")
    if not isinstance(arguments, str):
        yield f"Invalid type for '{where}.arguments': expected a string."
    elif not is_json_object_text(arguments):
        yield f"Invalid '{where}.arguments': expected a string of JSON of an object."


def _output(item: Json, where: str) -> Iterator[str]:
    yield from _call_id(item, where)
    output = item.get("output")
    if output is None:
        yield f"Missing required parameter: '{where}.output'."
    else:
        yield from _parts(output, GIVEN, f"{where}.output")


def _reasoning(item: Json, where: str) -> Iterator[str]:
    if not text_of(item, "id"):
        yield f"Missing required parameter: '{where}.id'."
    if not is_list(item.get("summary")):
        yield f"Missing required parameter: '{where}.summary'."


CHECKS: dict[str, Callable[[Json, str], Iterator[str]]] = {
    "message": _message,
    "function_call": _function_call,
    "function_call_output": _output,
    "reasoning": _reasoning,
}

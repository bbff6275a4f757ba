"""Whether a model's arguments follow a tool's schema, and where not, in words for the model.

Only what every schema means is checked: required members, types, enumerations, items. A level that
says more (`$ref`, `anyOf`, …) passes, and members that the schema does not name are left alone.
"""

from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Any, cast

import msgspec

from agent_cli.types.errors import ToolError

MOST = 8
"""Violations that are told."""
_DEEPEST = 24
_UNREAD = frozenset({"$ref", "allOf", "anyOf", "oneOf", "not", "if"})
_OBJECT = msgspec.json.Decoder(dict[str, Any])

Violation = dict[str, str]


def parsed(text: str) -> dict[str, Any]:
    """Read the arguments of a call; raises ToolError. Nothing at all means no arguments."""
    try:
        return _OBJECT.decode(text) if text.strip() else {}
    except (msgspec.DecodeError, RecursionError) as error:
        raise ToolError(f"the arguments are not a JSON object: {error}") from error


def violations(arguments: dict[str, Any], schema: Mapping[str, Any]) -> list[Violation]:
    """Return what is wrong, at most `MOST` of it."""
    found = _object(arguments, schema, "", arguments, 0)
    return list(islice(found, MOST))


def _object(
    value: dict[str, Any], schema: Mapping[str, Any], path: str, root: dict[str, Any], depth: int
) -> Iterator[Violation]:
    if depth > _DEEPEST or _UNREAD & schema.keys():
        return
    properties = _table(schema.get("properties"))
    for name in _list(schema.get("required")):
        if isinstance(name, str) and name not in value:
            yield _missing(f"{path}.{name}", name, root, depth)
    for name, one in value.items():
        if name in properties:
            yield from _value(one, _table(properties[name]), f"{path}.{name}", root, depth + 1)


def _value(
    value: Any, schema: Mapping[str, Any], path: str, root: dict[str, Any], depth: int
) -> Iterator[Violation]:
    if depth > _DEEPEST or _UNREAD & schema.keys():
        return
    kind = schema.get("type")
    if isinstance(kind, str) and not _is(value, kind):
        message = f"expected {kind}, got {_kind(value)}"
        yield _violation(path, "wrong_type", message)
        return
    allowed = schema.get("enum")
    if isinstance(allowed, list) and value not in allowed:
        said = msgspec.json.encode(allowed).decode()[:200]
        yield _violation(path, "invalid_enum", f"expected one of {said}")
        return
    if _is(value, "object"):
        yield from _object(_table(value), schema, path, root, depth)
    if items := _table(schema.get("items")):
        for place, one in enumerate(_list(value)):
            yield from _value(one, items, f"{path}[{place}]", root, depth + 1)


def _missing(path: str, name: str, root: dict[str, Any], depth: int) -> Violation:
    message = f"{name!r} is required"
    if depth and name in root:
        message += f"; it was found at the top, and belongs to {path.rpartition('.')[0] or '.'}"
    elif not depth and any(name in _table(one) for one in root.values()):
        message += "; it was found one level below, and belongs to the top"
    return _violation(path, "missing_required", message)


def _violation(path: str, code: str, message: str) -> Violation:
    return {"path": path.removeprefix("."), "code": code, "message": message}


def _is(value: object, kind: str) -> bool:
    match kind:
        case "string":
            return isinstance(value, str)
        case "boolean":
            return isinstance(value, bool)
        case "integer":
            whole = isinstance(value, int) or (isinstance(value, float) and value.is_integer())
            return whole and not isinstance(value, bool)
        case "number":
            return isinstance(value, int | float) and not isinstance(value, bool)
        case "object":
            return isinstance(value, dict)
        case "array":
            return isinstance(value, list)
        case _:
            return value is None or kind != "null"


def _kind(value: object) -> str:
    kinds = ("null", "boolean", "integer", "number", "string", "array", "object")
    return next(kind for kind in kinds if _is(value, kind))


def _table(value: object) -> dict[str, Any]:
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {}


def _list(value: object) -> list[object]:
    return cast("list[object]", value) if isinstance(value, list) else []

"""Questions about parsed JSON that all validators ask; total: no value makes them raise."""

import base64
import binascii
import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any, TypeAlias, TypeGuard

Json: TypeAlias = dict[str, Any]


def is_object(value: object) -> TypeGuard[Json]:
    return isinstance(value, dict)


def is_list(value: object) -> TypeGuard[list[Any]]:
    return isinstance(value, list)


def is_count(value: object) -> TypeGuard[int]:
    """Whether it is a whole number above zero; JSON's true is not one."""
    return isinstance(value, int) and not isinstance(value, bool) and value > 0


def text_of(value: Json, key: str) -> str:
    """The string under `key`, or nothing."""
    found = value.get(key)
    return found if isinstance(found, str) else ""


def objects(value: object) -> list[Json]:
    """The objects of a list; of anything else, none."""
    return [item for item in value if is_object(item)] if is_list(value) else []


def repeated(values: Iterable[str]) -> list[str]:
    return [value for value, count in Counter(values).items() if count > 1]


def not_matching(value: object, pattern: re.Pattern[str], where: str) -> Iterator[str]:
    if not isinstance(value, str):
        yield f"{where}: Input should be a valid string"
    elif not pattern.fullmatch(value):
        yield f"{where}: String should match pattern '{pattern.pattern}'"


def extra_keys(value: Json, allowed: frozenset[str], where: str) -> Iterator[str]:
    """Complain of keys the vendor does not know, in Anthropic's words."""
    for key in value:
        if key not in allowed:
            yield f"{where}{key}: Extra inputs are not permitted"


def is_json_object_text(text: str) -> bool:
    """Whether the text is JSON of an object, by the letter: no NaN, no lone surrogate."""
    try:
        text.encode()
        return isinstance(json.loads(text, parse_constant=_refuse), dict)
    except (ValueError, RecursionError):
        return False


def _refuse(constant: str) -> None:
    raise ValueError(constant)


def is_base64(text: object) -> bool:
    if not isinstance(text, str) or not text:
        return False
    try:
        base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        return False
    return True

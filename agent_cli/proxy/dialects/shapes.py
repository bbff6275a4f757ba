"""JSON of strangers, read without trusting its shape: what is not of the shape counts as empty."""

from typing import Any, cast


def mapping(value: object) -> dict[str, Any]:
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {}


def sequence(value: object) -> list[object]:
    return cast("list[object]", value) if isinstance(value, list) else []


def mappings(value: object) -> list[dict[str, Any]]:
    """Return the objects in the list."""
    return [cast("dict[str, Any]", one) for one in sequence(value) if isinstance(one, dict)]


def words(value: object) -> str:
    return value if isinstance(value, str) else ""

"""Keeps pydantic out of the start: typer imports it to convert every parameter, 80 ms.

Uses a private hook of typer 0.29, to which the dependency is pinned. Where the hook is missing,
typer converts as it always does, only later; a test watches that it is there.
"""

from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any, get_args

import typer

from agent_cli.i18n.catalog import say

_PLAIN: dict[Any, Callable[[str], Any]] = {str: str, int: int, float: float, Path: Path}


class Plain:
    """Converts one parameter the way its annotation says, without a schema."""

    def __init__(self, annotation: Any) -> None:
        self._annotation = annotation

    def coerce(self, value: Any, param: Any, ctx: Any) -> Any:
        if value is None:
            return () if param.multiple or param.nargs == -1 else None
        if isinstance(value, list | tuple):
            (inner,) = get_args(self._annotation)
            items: list[Any] = list(value)  # pyright: ignore[reportUnknownArgumentType] - any sequence
            return [self._one(item, inner, param) for item in items]
        return self._one(value, self._annotation, param)

    def _one(self, value: Any, annotation: Any, param: Any) -> Any:
        if annotation is bool:
            return bool(value)
        try:
            return _PLAIN[annotation](value)
        except ValueError as error:
            wrong = (
                say("{value!r} is not a whole number", value=value)
                if annotation is int
                else say("{value!r} is not a number", value=value)
            )
            raise typer.BadParameter(wrong, param=param) from error


def skip_pydantic() -> None:
    """Let plain parameters be converted without typer's adapters."""
    names = vars(import_module("typer.core"))
    build: Callable[[Any], Any] | None = names.get("build_runtime_param")
    if build is None or build.__module__ == __name__:
        return

    def quick(descriptor: Any) -> Any:
        annotation = descriptor.annotation
        inner = get_args(annotation)
        plain = annotation is bool or annotation in _PLAIN or (inner and inner[0] in _PLAIN)
        return Plain(annotation) if plain else build(descriptor)

    names["build_runtime_param"] = quick

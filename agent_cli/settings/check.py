"""Checks a table of settings against the schema, value by value, so that a fault knows its key.

msgspec alone would stop at the same faults, but it names no near miss and no key of a dictionary.
"""

from collections.abc import Mapping
from enum import StrEnum
from types import NoneType
from typing import Any, Literal, TypeAlias, cast, get_args, get_origin

import msgspec
from msgspec.structs import fields

from agent_cli.i18n.catalog import say
from agent_cli.settings.schema import Settings

Keys: TypeAlias = tuple[str, ...]


class SettingError(ValueError):
    """What is wrong with one setting; becomes a ConfigurationError once its place is known."""

    def __init__(self, message: str, keys: Keys) -> None:
        super().__init__(message)
        self.keys = keys


def check(table: Mapping[str, object], schema: Any = Settings) -> None:
    """Raise SettingError for the first name or value that means nothing."""
    _check(table, schema, ())


def single_values() -> dict[Keys, Any]:
    """Return path and type of every setting that is one value, not a list or a dictionary."""
    return dict(_single_values(Settings, ()))


def converted(value: object, type_: Any, keys: Keys, *, strict: bool = True) -> Any:
    """Return the value as its type; the SettingError says what was expected."""
    try:
        return msgspec.convert(value, type_, strict=strict)
    except msgspec.ValidationError as error:
        message = str(error).partition(" - at `$")[0]
        listed = isinstance(value, list) and get_origin(type_) is tuple
        words = _words(get_args(type_)[0] if listed else type_)
        said = (
            say("use one of {words}", words=", ".join(words))
            if words
            else message[:1].lower() + message[1:]
        )
        raise SettingError(f"{'.'.join(keys)} = {value!r}: {said}", keys) from None


def _words(type_: Any) -> list[str]:
    """Return the words that are all the values of the type; none if it has others."""
    if get_origin(type_) is Literal:
        return list(get_args(type_))
    if isinstance(type_, type) and issubclass(type_, StrEnum):
        return [member.value for member in type_]
    optional = [part for part in get_args(type_) if part is not NoneType]
    return _words(optional[0]) if len(optional) == 1 and len(get_args(type_)) > 1 else []


def _check(value: object, type_: Any, keys: Keys) -> None:
    if not (_has_keys(type_) and isinstance(value, Mapping)):
        converted(value, type_, keys)
        return
    table = cast("Mapping[str, object]", value)
    if get_origin(type_) is dict:
        of_key, of_value = get_args(type_)
        for name, entry in table.items():
            if get_origin(of_key) is Literal and name not in get_args(of_key):
                raise unknown((*keys, name), sorted(get_args(of_key)))
            _check(entry, of_value, (*keys, name))
        return
    known = {field.name: field.type for field in fields(type_)}
    for name, entry in table.items():
        here = (*keys, name)
        if name not in known:
            raise unknown(here, sorted(known))
        _check(entry, known[name], here)


def unknown(keys: Keys, known: list[str]) -> SettingError:
    """Return the error for a name that means nothing; it names what is near."""
    return SettingError(
        say("unknown setting {keys!r}; {near}", keys=".".join(keys), near=_near(keys[-1], known)),
        keys,
    )


def _has_keys(type_: Any) -> bool:
    return get_origin(type_) is dict or _is_struct(type_)


def _is_struct(type_: Any) -> bool:
    return isinstance(type_, type) and issubclass(type_, msgspec.Struct)


def _near(name: str, known: list[str]) -> str:
    import difflib  # noqa: PLC0415 - only a mistake needs it

    matches = difflib.get_close_matches(name, known, n=1)
    if matches:
        return say("did you mean {name!r}?", name=matches[0])
    return say("known here: {names}", names=", ".join(known))


def _single_values(struct: Any, above: Keys) -> list[tuple[Keys, Any]]:
    found: list[tuple[Keys, Any]] = []
    for field in fields(struct):
        keys = (*above, field.name)
        if _is_struct(field.type):
            found += _single_values(field.type, keys)
        elif get_origin(field.type) not in {dict, tuple}:
            found.append((keys, field.type))
    return found

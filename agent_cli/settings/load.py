"""Settings from their layers: flags over environment over the user's file over defaults.

Each layer is checked alone first, so that an error names the place where the fault was made.
A project's settings have no effect: nothing from a folder changes what we do.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, TypeAlias

import msgspec

from agent_cli.settings.check import SettingError, check, converted, single_values
from agent_cli.settings.places import config_file
from agent_cli.settings.schema import Settings
from agent_cli.types.errors import ConfigurationError

Table: TypeAlias = dict[str, Any]


def load(environ: Mapping[str, str], flags: Mapping[str, object] | None = None) -> Settings:
    """Return the settings in force. Flags are keyed by dotted path; None means not given."""
    merged = read_file(config_file(environ))
    for layer in (from_environment(environ), from_flags(flags or {})):
        merged = _merge(merged, layer)
    return msgspec.convert(merged, Settings)


def read_file(path: Path) -> Table:
    """Return the file's table, checked; an absent file is an empty one."""
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        return {}
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigurationError(f"cannot read {str(path)!r}: {error}") from error
    import tomllib  # noqa: PLC0415 - 11 ms that a start without a file saves

    try:
        table = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ConfigurationError(f"{path}: not valid TOML: {error}") from error
    try:
        check(table)
    except SettingError as fault:
        raise ConfigurationError(f"{_place(path, text, fault.keys)}: {fault}") from fault
    return table


def from_environment(environ: Mapping[str, str]) -> Table:
    """Return the layer of AGENT_* variables: AGENT_MODEL, AGENT_APPROVAL_WRITE and so on.

    Every setting that is one value has its variable; an empty variable counts as not set.
    """
    layer: Table = {}
    if not any(name.startswith("AGENT_") for name in environ):
        return layer
    for keys, type_ in single_values().items():
        variable = "AGENT_" + "_".join(keys).upper()
        text = environ.get(variable, "")
        if not text:
            continue
        try:
            value = converted(text, type_, keys, strict=False)
        except SettingError as fault:
            raise ConfigurationError(f"environment variable {variable}: {fault}") from fault
        _put(layer, keys, value)
    return layer


def from_flags(flags: Mapping[str, object]) -> Table:
    layer: Table = {}
    for path, value in flags.items():
        if value is not None:
            _put(layer, tuple(path.split(".")), value)
    layer = msgspec.to_builtins(layer)
    try:
        check(layer)
    except SettingError as fault:
        raise ConfigurationError(f"on the command line: {fault}") from fault
    return layer


def digest(settings: Settings) -> str:
    """Return a fingerprint, equal for equal settings."""
    from hashlib import sha256  # noqa: PLC0415 - only a session that starts needs it

    return sha256(msgspec.json.encode(settings, order="deterministic")).hexdigest()


def _place(path: Path, text: str, keys: tuple[str, ...]) -> str:
    from agent_cli.settings.locate import line_of  # noqa: PLC0415 - only a mistake needs it

    line = line_of(text, keys)
    return f"{path}:{line}" if line else str(path)


def _put(layer: Table, keys: tuple[str, ...], value: object) -> None:
    for key in keys[:-1]:
        layer = layer.setdefault(key, {})
    layer[keys[-1]] = value


def _merge(below: Table, above: Table) -> Table:
    """Return both; a value above hides the one below, tables are merged key by key."""
    merged = dict(below)
    for key, value in above.items():
        under = merged.get(key)
        if isinstance(value, dict) and isinstance(under, dict):
            merged[key] = _merge(under, value)  # pyright: ignore[reportUnknownArgumentType]
        else:
            merged[key] = value
    return merged

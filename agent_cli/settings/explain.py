"""Which layer of the settings wins, and what the others say."""

from pathlib import Path
from typing import Any, TypeAlias, cast

import msgspec
from msgspec import Struct

from agent_cli.settings.check import single_values, unknown
from agent_cli.settings.load import Layer, Loaded
from agent_cli.settings.locate import line_of
from agent_cli.settings.merge import adds_up
from agent_cli.settings.schema import Settings

Keys: TypeAlias = tuple[str, ...]


class Said(Struct, frozen=True):
    """What one layer says of one setting."""

    layer: Layer
    value: Any
    holds: bool
    """The highest holds; of what adds up, all do."""
    line: int = 0
    """Where in the layer's file, as far as that can be told."""


class Explained(Struct, frozen=True):
    keys: Keys
    value: Any
    """What is in force, as JSON has it."""
    default: Any
    """What holds if nobody says anything; None for a setting that only exists when it is set."""
    said: tuple[Said, ...]
    """Highest first."""


def explain(loaded: Loaded, keys: Keys) -> Explained:
    """Return who says what of the setting; raises SettingError for one that there is not."""
    value, default = (_within(_plain(one), keys) for one in (loaded.settings, Settings()))
    above: list[Said] = []
    for layer in reversed(loaded.layers):
        found = _within(layer.table, keys)
        if found is not None:
            holds = not above or adds_up(keys) or isinstance(found, dict)
            above.append(Said(layer, found, holds, _line(layer, keys)))
    if not above and value is None and keys not in single_values():
        raise unknown((".".join(keys),), [".".join(one) for one in single_values()])
    return Explained(keys, value, default, tuple(above))


def settings_made(loaded: Loaded) -> list[Keys]:
    """Return every setting that some layer says something of, in order."""
    return sorted({keys for layer in loaded.layers for keys in _leaves(layer.table, ())})


def _line(layer: Layer, keys: Keys) -> int:
    if not layer.place:
        return 0
    try:
        return line_of(Path(layer.place).read_text(encoding="utf-8"), keys)
    except (OSError, UnicodeDecodeError):  # it was there a moment ago
        return 0


def _plain(settings: Settings) -> Any:
    return msgspec.to_builtins(settings)


def _within(table: Any, keys: Keys) -> Any:
    for key in keys:
        if not isinstance(table, dict):
            return None
        table = cast("dict[str, Any]", table).get(key)
    return table


def _leaves(table: dict[str, Any], above: Keys) -> list[Keys]:
    found: list[Keys] = []
    for key, value in table.items():
        if isinstance(value, dict):
            found += _leaves(cast("dict[str, Any]", value), (*above, key))
        else:
            found.append((*above, key))
    return found

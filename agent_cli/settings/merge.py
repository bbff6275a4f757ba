"""Puts one layer of settings over another.

A value above hides the one below and tables are merged key by key; but deny and ask rules, checks
and hooks are added up over all layers: what forbids or watches is lifted by nobody else's list.
"""

from typing import Any, TypeAlias, cast

Table: TypeAlias = dict[str, Any]


def merge(below: Table, above: Table) -> Table:
    """Return both in one table."""
    return _merge(below, above, ())


def _merge(below: Table, above: Table, keys: tuple[str, ...]) -> Table:
    merged = dict(below)
    for name, value in above.items():
        under = merged.get(name)
        here = (*keys, name)
        if isinstance(value, dict) and isinstance(under, dict):
            merged[name] = _merge(cast("Table", under), cast("Table", value), here)
        elif isinstance(value, list) and isinstance(under, list) and adds_up(here):
            merged[name] = [*under, *value]  # pyright: ignore[reportUnknownVariableType] - TOML
        else:
            merged[name] = value
    return merged


def adds_up(keys: tuple[str, ...]) -> bool:
    """Whether what all layers say of it holds, not only what the highest says."""
    return keys[:1] == ("hooks",) or keys in {
        ("approval", "rules", "ask"),
        ("approval", "rules", "deny"),
        ("completion", "verify"),
    }

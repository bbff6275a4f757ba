"""Single settings written into the user's file; every other line of it stays as it is."""

from collections.abc import Mapping
from pathlib import Path
from typing import TypeAlias, cast

from agent_cli.settings.check import check
from agent_cli.settings.edit import Table, key_of, parsed, toml, update, without_tables

Keys: TypeAlias = tuple[str, ...]


def put(path: Path, values: Mapping[Keys, object]) -> None:
    """Set the values, each at the top or in one table below it; raises ConfigurationError.

    A table that gets values is written anew with all it holds; remarks inside of it are lost.
    """

    def change(text: str) -> tuple[str, Table]:
        table = parsed(path, text)
        meant = _with_values(table, values)
        check(meant)
        for keys in {keys[:-1] for keys in values}:
            text = _with_table(text, keys, meant) if keys else _with_top(text, values)
        return text, meant

    update(path, change)


def _with_values(table: Table, values: Mapping[Keys, object]) -> Table:
    meant = dict(table)
    for (*above, name), value in values.items():
        place = meant
        for key in above:
            below = place.get(key)
            place[key] = dict(cast("Table", below)) if isinstance(below, dict) else {}
            place = place[key]
        place[name] = value
    return meant


def _with_top(text: str, values: Mapping[Keys, object]) -> str:
    """Put values that stand in no table above the first table."""
    lines = text.splitlines(keepends=True)
    first = next((n for n, line in enumerate(lines) if line.lstrip().startswith("[")), len(lines))
    names = {keys[0]: value for keys, value in values.items() if len(keys) == 1}
    kept = [line for line in lines[:first] if line.partition("=")[0].strip() not in names]
    written = [f"{key_of(name)} = {toml(value)}\n" for name, value in names.items()]
    if kept and not kept[-1].endswith("\n"):
        kept[-1] += "\n"
    rest = lines[first:]
    blank = ["\n"] if rest and not (kept and not kept[-1].strip()) else []
    at = len(kept)
    while at and not kept[at - 1].strip():  # before the blank lines in front of the table
        at -= 1
    return "".join([*kept[:at], *written, *(kept[at:] or blank), *rest])


def _with_table(text: str, keys: Keys, meant: Table) -> str:
    table: Table = meant
    for key in keys:
        table = table[key]
    kept = without_tables(text.splitlines(keepends=True), list(keys)).rstrip()
    single = {name: one for name, one in table.items() if not isinstance(one, dict)}
    parts = [kept, _table(keys, single)]
    for name, one in table.items():
        if isinstance(one, dict):
            parts.append(_table((*keys, name), cast("Table", one)))
    return "\n\n".join(part for part in parts if part) + "\n"


def _table(keys: Keys, values: Mapping[str, object]) -> str:
    lines = [f"{key_of(name)} = {toml(value)}" for name, value in values.items()]
    return "\n".join([f"[{'.'.join(map(key_of, keys))}]", *lines]) if lines else ""

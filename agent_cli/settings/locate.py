"""Finds the line of a key in a TOML text that has already been parsed without error."""

import tomllib
from typing import Any

_MOST_CHARACTERS = 400_000
"""That are parsed for one key, all runs of lines together: half a second."""


def line_of(text: str, keys: tuple[str, ...]) -> int:
    """Return the number of the line that introduces the key; 0 if it is not to be found in time.

    TOML only ever grows: the key is introduced by the last line of the shortest run of lines that
    parses and has it. So whatever way of writing it was used, tomllib itself finds it.
    """
    lines = text.splitlines(keepends=True)
    length = parsed = 0
    for count, line in enumerate(lines, 1):
        length += len(line)
        parsed += length
        if parsed > _MOST_CHARACTERS:
            break
        if _has(text[:length], keys):
            return count
    return 0


def _has(text: str, keys: tuple[str, ...]) -> bool:
    try:
        table: Any = tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        return False
    for key in keys:
        if not isinstance(table, dict) or key not in table:
            return False
        table = table[key]  # pyright: ignore[reportUnknownVariableType] - TOML
    return True

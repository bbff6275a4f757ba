"""The order of names in a list."""

import re

_NUMBERS = re.compile(r"(\d+)")

Key = tuple[tuple[bool, tuple[tuple[bool, int, str], ...], str], ...]


def order(path: str, *, is_dir: bool) -> Key:
    """Return a sort key: parents before what they hold, directories before files, 2 before 10."""
    *above, name = path.split("/")
    return (
        *((False, _natural(part), part) for part in above),
        (not is_dir, _natural(name), name),
    )


def _natural(name: str) -> tuple[tuple[bool, int, str], ...]:
    return tuple(
        (False, int(part), "") if part.isdecimal() else (True, 0, part.casefold())
        for part in _NUMBERS.split(name)
        if part
    )

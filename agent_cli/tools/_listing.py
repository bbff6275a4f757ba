"""The order of names in a list, and names that can be shown."""

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


def spelled(path: str) -> str:
    """Return the path as text that can be sent: bytes that are not UTF-8 in a visible form."""
    return path.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")

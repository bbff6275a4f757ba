"""Words of a settings file that may be the names of files in its folder.

The text is not parsed: a name counts wherever it stands, in a comment too, and however it is
escaped. One too many only means that the folder is asked about once more; one too few would be a
script that nobody read. A name that a shell would have to put together is not found.
"""

import posixpath
import re
from collections.abc import Iterable

MOST_NAMED = 2000
"""Different words that are looked at; a text with more cannot be trusted."""

_ESCAPE = re.compile(r"\\(?:u([0-9A-Fa-f]{4})|U([0-9A-Fa-f]{8})|x([0-9A-Fa-f]{2})|(/))")
_WORD = re.compile(r"[^\s\"'`=,;:|&<>(){}\[\]$!*?\\#]+")
_QUOTED = re.compile(r"\"([^\"\n]+)\"|'([^'\n]+)'")
_LONGEST = 1024
_LAST_CHARACTER = 0x10FFFF


def names(texts: Iterable[bytes]) -> tuple[str, ...]:
    """Return the paths, relative and without dots, in the order in which they are named."""
    found: dict[str, None] = {}
    for text in texts:
        plain = _ESCAPE.sub(_unescaped, text.decode("utf-8", errors="surrogateescape"))
        quoted = (double or single for double, single in _QUOTED.findall(plain))
        for word in (*_WORD.findall(plain), *quoted):
            path = posixpath.normpath(word)
            if _is_within(path):
                found[path] = None
    return tuple(found)


def _unescaped(match: re.Match[str]) -> str:
    if match[4]:
        return "/"
    code = int(match[1] or match[2] or match[3], 16)
    return chr(code) if code <= _LAST_CHARACTER else match[0]


def _is_within(path: str) -> bool:
    if path in (".", "..") or path.startswith(("/", "../")):
        return False
    return len(path) <= _LONGEST and "\0" not in path

"""Words of a settings file that may be the names of files in its folder.

The text is not parsed: a name counts wherever it stands, in a comment too. One too many only
means that the folder is asked about once more; one too few would be a script that nobody read.
"""

import posixpath
import re
from collections.abc import Iterable

MOST_NAMED = 2000
"""Different words that are looked at; a text with more cannot be trusted."""

_WORD = re.compile(r"[^\s\"'`=,;:|&<>(){}\[\]$!*?\\#]+")
_LONGEST = 1024


def names(texts: Iterable[bytes]) -> tuple[str, ...]:
    """Return the paths, relative and without dots, in the order in which they are named."""
    found: dict[str, None] = {}
    for text in texts:
        for word in _WORD.findall(text.decode("utf-8", errors="surrogateescape")):
            path = posixpath.normpath(word)
            inside = path not in ("", ".") and not path.startswith(("/", "../"))
            if inside and path != ".." and len(path) <= _LONGEST and "\0" not in path:
                found[path] = None
    return tuple(found)

"""Takes secrets out of texts, in every form in which they are usually written.

As they are, as base64 wherever they stand in it, URL-encoded, in hexadecimal and as a part of a
JSON text. Values shorter than `SHORTEST` are left alone, for they are in every text.
"""

import re
from base64 import b64encode, urlsafe_b64encode
from collections.abc import Iterator
from urllib.parse import quote

import msgspec

SHORTEST = 8
"""Characters."""
REMOVED = "[secret removed]"


class Redactor:
    """Takes secrets out of texts. Without secrets it does nothing, at no cost."""

    def __init__(self, values: frozenset[str] = frozenset()) -> None:
        self._forms = sorted({form for value in values for form in _forms(value)}, key=len)[::-1]
        self._found = re.compile("|".join(map(re.escape, self._forms)))
        self._found_in_json = re.compile(b"|".join(re.escape(_in_json(one)) for one in self._forms))
        self._beginnings: dict[str, tuple[str, ...]] = {}
        for form in self._forms:
            for length in range(1, len(form)):
                beginning, last = form[:length], form[length - 1]
                self._beginnings[last] = (*self._beginnings.get(last, ()), beginning)

    def text(self, text: str) -> str:
        return self._found.sub(REMOVED, text) if self._forms else text

    def __bool__(self) -> bool:
        """Whether there is anything to look for."""
        return bool(self._forms)

    def finds(self, data: bytes) -> bool:
        """Whether there is a secret in a JSON text."""
        return bool(self) and self._found_in_json.search(data) is not None

    def held_back(self, text: str) -> int:
        """Return how many characters at the end could be the beginning of a secret."""
        beginnings = self._beginnings.get(text[-1:], ())
        if not text.endswith(beginnings):
            return 0
        return max(len(one) for one in beginnings if text.endswith(one))


def _in_json(text: str) -> bytes:
    return msgspec.json.encode(text.encode("utf-8", "replace").decode())[1:-1]


def _forms(value: str) -> Iterator[str]:
    """Yield the ways in which a secret can be written."""
    data = value.encode("utf-8", "surrogateescape")
    yield value
    yield from (data.hex(), data.hex().upper())
    quoted = quote(value, safe="", errors="surrogateescape")
    yield from (quoted, re.sub("%..", lambda one: one[0].lower(), quoted))
    yield _in_json(value).decode()
    for before in range(3):
        for encode in (b64encode, urlsafe_b64encode):
            whole = encode(b"\0" * before + data).decode().rstrip("=")
            # What the neighbours of the secret have a part in is left out.
            first = (before * 8 + 5) // 6
            last = (before + len(data)) * 8 // 6
            yield whole[first:last]


class Stream:
    """One text that comes in pieces: what could become a secret is held back until it is sure."""

    def __init__(self, redactor: Redactor) -> None:
        self._redactor = redactor
        self._held = ""

    def feed(self, text: str, *, final: bool = False) -> str:
        """Add a piece; return what is sure by now, at the end all."""
        text = self._redactor.text(self._held + text)
        sure = len(text) if final else len(text) - self._redactor.held_back(text)
        self._held = text[sure:]
        return text[:sure]

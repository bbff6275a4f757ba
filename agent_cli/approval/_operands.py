"""Words of commands that may name files, and the directories that they are seen from."""

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from msgspec import Struct

from agent_cli.approval import _builtins
from agent_cli.approval._literals import literals
from agent_cli.approval._reader import Script, Simple, read
from agent_cli.approval._wrappers import Text, unwrap
from agent_cli.approval.options import Word

_MOST_PLACES = 8
_DEEPEST = 8
_URL = re.compile(r"(?!file:)[A-Za-z][A-Za-z0-9+.-]*://", re.IGNORECASE)
_FILE_URL = re.compile(r"file:(?://[^/]*)?", re.IGNORECASE)
_PARTS = re.compile(r"[=,@:]")
_ROOTED = re.compile(r"/|\.\.(?:/|\Z)|~")
_DIRECTORY = re.compile(r"-C|--directory=")
_BUNDLE = re.compile(r"-{1,2}[^=,@:]*")
"""What may stand before a path that is attached to an option without a sign between."""


class Operand(Struct, frozen=True):
    """A word, or a part of one, that may name a path."""

    path: str
    cwd: str
    """The directory that earlier `cd`s reached, `.` at the start; empty when it is unknown."""


def operands(script: Script, depth: int = 0) -> tuple[Operand, ...]:
    """Return every operand of every simple command."""
    found: dict[Operand, None] = {}
    places = _Places()
    for item in script.items:
        if not isinstance(item, Simple):
            places.mark(item.sign)
            continue
        for one in _of(item.words, depth):
            for place in places.now:
                found[Operand(one.path, _join(place, one.cwd))] = None
        places.command(item)
    return tuple(found)


class _Places:
    """The directories that a command may be run in."""

    def __init__(self) -> None:
        self.now = frozenset({"."})
        self._ever = self.now
        self._moved: frozenset[str] | None = None
        """Where the last command goes if it succeeds."""
        self._negated = False

    def command(self, command: Simple) -> None:
        direct = command.words[0].text == "cd"
        if not direct and not _may_move(command.words):
            return
        path = _builtins.destination(command.words) if direct else None
        moved = frozenset(_join(place, path) if path else "" for place in self.now)
        self._ever |= frozenset(_join(place, path) if path else "" for place in self._ever)
        if len(self._ever) > _MOST_PLACES:
            self._ever = frozenset({""})
        self._moved = None if self._negated else moved

    def mark(self, sign: str) -> None:
        if sign == "&&" and self._moved is not None:
            self.now = self._moved
        elif sign not in {"&&", "(", "{", "!", "if"} or self._negated:
            self.now = self._ever
        self._moved = None
        self._negated = sign == "!" or (self._negated and sign == "&&")


def _may_move(words: Sequence[Word]) -> bool:
    """Whether a wrapper may change the directory of what follows."""
    return any("cd" in word.text for word in words) and unwrap(words) is not None


def _join(place: str, path: str) -> str:
    if path.startswith("/") or place == ".":
        return path
    if not place or not path:
        return ""
    return place if path == "." else f"{place}/{path}"


def _of(words: Sequence[Word], depth: int) -> Iterator[Operand]:
    """Yield the operands of one command, seen from where it is run."""
    text = literals(words)
    for at, word in enumerate(words[1:], 1):
        if at in text.words:
            continue
        paths = (word.text,) if at in text.options else _paths(word.text)
        yield from (Operand(path, ".") for path in paths)
    named = [word.text for at, word in enumerate(words[1:], 1) if at not in text.words]
    yield from _of_directories(named)
    for inner in unwrap(words) or ():
        if isinstance(inner, Text) and depth < _DEEPEST:
            script = read(inner.text)
            if isinstance(script, Script):
                yield from operands(script, depth + 1)


def _of_directories(words: Sequence[str]) -> Iterator[Operand]:
    """Yield what follows options such as `git -C`, seen from where these lead."""
    last, place = "", "."
    changes = 0
    for before, word in pairwise(("", *words)):
        for seen_from in {last, place} if changes else ():
            yield Operand(word, seen_from)
        into = word if before in {"-C", "--directory"} else _attached(word)
        if into:
            changes += 1
            last, place = into, _join(place, into)
            if changes > _MOST_PLACES:
                place = ""


def _attached(word: str) -> str:
    found = _DIRECTORY.match(word)
    return word[found.end() :] if found is not None else ""


def _paths(text: str) -> Iterator[str]:
    if _URL.match(text):
        return
    yield _FILE_URL.sub("", text, count=1)
    rooted = _ROOTED.search(text, 1) if text.startswith("-") else None
    if text.startswith("-") and not text.startswith("--") and text[2:]:
        yield text[2:]  # the value of an option of one letter
    if rooted is not None and _BUNDLE.fullmatch(text, 0, rooted.start()):
        yield text[rooted.start() :]
    for part in _PARTS.split(text)[1:]:
        if part:
            yield part

"""The rules of one ignore file, answered fast: a walk asks them for every name that it meets.

`pathspec` knows what the rules mean. Most are plain names and endings, though, and most names are
covered by none, which takes no expression to see. Rules are told apart by the expression that
pathspec has made of them, so one whose expression we do not know is slow, and right all the same.
"""

import re
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:
    from pathspec import GitIgnoreSpec
    from pathspec.pattern import RegexPattern

_PLAIN = re.compile(
    r"\^\(\?:\.\+/\)\?"
    r"(?P<ending>\[\^/\]\*)?"
    r"(?P<text>(?:[A-Za-z0-9_]|\\[^A-Za-z0-9_\s])+)"
    r"(?:(?P<both>\(\?:\(\?P<ps_d>/\)\|\$\))|\(\?P<ps_d>/\))"
)
"""The expression for a name, or an ending, anywhere; of everything, or of directories alone."""
_ESCAPED = re.compile(r"\\(.)")


class Rules:
    """What one ignore file says of the entries below its directory."""

    def __init__(self, spec: "GitIgnoreSpec") -> None:
        self.spec = spec
        self._covering = _Side(one for one in spec.patterns if one.include is True)
        self._excepting = _Side(one for one in spec.patterns if one.include is False)
        self._last = ("", False)

    def verdict(self, folder: str, name: str, *, is_dir: bool) -> bool | None:
        """Whether the folder's entry is covered, None if no rule speaks of it.

        `folder` is relative to the ignore file's directory: empty, or with a slash at its end.
        """
        path = f"{folder}{name}/" if is_dir else folder + name
        if "\n" in path or self._speaks_of(folder):
            return self.spec.check_file(path).include
        covered = self._covering.matches(path, name, is_dir=is_dir)
        excepted = self._excepting.matches(path, name, is_dir=is_dir)
        if covered and excepted:
            return self.spec.check_file(path).include
        return covered if covered or excepted else None

    def _speaks_of(self, folder: str) -> bool:
        """Whether a plain rule speaks of the folder or one above, and so of what is in it."""
        last, answer = self._last
        if folder != last:
            sides = (self._covering, self._excepting)
            parts = folder.split("/")[:-1]
            answer = any(side.is_plainly(part, is_dir=True) for part in parts for side in sides)
            self._last = (folder, answer)
        return answer


class _Side:
    """The rules that cover, or the rules that except."""

    def __init__(self, patterns: Iterable["RegexPattern"]) -> None:
        plain: dict[tuple[bool, bool], list[str]] = {}
        others: list[Callable[[str], object]] = []
        for pattern in patterns:
            regex = cast("re.Pattern[str]", pattern.regex)  # pyright: ignore[reportUnknownMemberType] - of text or bytes
            found = _PLAIN.fullmatch(regex.pattern)
            if found is None:
                others.append(regex.search)
                continue
            kind = found["ending"] is not None, found["both"] is not None
            plain.setdefault(kind, []).append(_ESCAPED.sub(r"\1", found["text"]))
        names, endings = plain.get((False, True), []), plain.get((True, True), [])
        # by whether the entry is a directory
        self._names = (
            frozenset(names),
            frozenset([*names, *plain.get((False, False), [])]),
        )
        self._endings = tuple(endings), (*endings, *plain.get((True, False), []))
        self._others = tuple(others)

    def is_plainly(self, name: str, *, is_dir: bool) -> bool:
        return name in self._names[is_dir] or name.endswith(self._endings[is_dir])

    def matches(self, path: str, name: str, *, is_dir: bool) -> bool:
        if name in self._names[is_dir] or name.endswith(self._endings[is_dir]):
            return True
        for search in self._others:  # noqa: SIM110 - half the time, and this is asked most
            if search(path):
                return True
        return False

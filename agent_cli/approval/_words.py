"""Rules for commands as rows of words, and where such a row stands."""

import functools
import re
import sys
from collections.abc import Sequence

from msgspec import Struct

_QUOTING = re.compile(r"\\\r?\n|\$?['\"]|\\")
_BETWEEN_WORDS = re.compile(r"[^A-Za-z0-9_./:@%+=,\-\[\]^!~*?\x80-\U0010ffff]+")
_DEFAULT = re.compile(r"\$\{[^\s{}:=?+-]{1,99}:?[-=?+]")
"""What stands before a word that an expansion may become."""
_BASE = re.compile(r"[/=]")
_ESCAPES = re.compile(r"\\(?:x([0-9A-Fa-f]{1,2})|([0-7]{1,3})|[uU]([0-9A-Fa-f]{1,8}))")


def vocabulary(text: str) -> frozenset[str]:
    """Return the words of a list written as text."""
    return frozenset(text.split())


_FLAGS = vocabulary(
    "--no-pager -p -P --paginate --bare --no-replace-objects --literal-pathspecs "
    "--no-optional-locks --glob-pathspecs --noglob-pathspecs --icase-pathspecs --no-advice"
)
"""Global options of git that have no value; of other options that is not known."""
_OPTIONAL = ("-", "+", "$")
"""How a word begins that may be an option, choose a version, or become either or nothing."""


def allows(rule: Sequence[str], words: Sequence[str]) -> bool:
    """Whether the words of a command begin with those of the allow rule."""
    return bool(rule) and tuple(words[: len(rule)]) == tuple(rule)


def folded(rule: str) -> tuple[str, ...]:
    """Return a deny rule as words to compare with."""
    program, *others = rule.split() or [""]
    return (base(program), *(word.casefold() for word in others))


def base(word: str) -> str:
    """Return the program that the word could name: alone, in a folder, or given to an option."""
    return _BASE.split(word)[-1].casefold()


def begin(rule: Sequence[str], words: Sequence[str]) -> bool:
    """Whether a command's words begin with a folded deny rule, options left out of account."""
    return 0 in _starts(rule, [word.casefold() for word in words])


def stand_in(rule: Sequence[str], words: Sequence[str]) -> bool:
    """Whether the words of a folded deny rule stand anywhere among the words."""
    return bool(_starts(rule, [word.casefold() for word in words]))


def may_stand_in(rule: Sequence[str], text: str) -> bool:
    """Whether the words of a folded deny rule may stand anywhere in the text.

    The broadest look: every word of a text may begin a command, whatever quotes surround it.
    """
    row = _row(text)
    if rule[0] not in row.bases or not all(word in row.known for word in rule[1:]):
        return False
    return len(rule) == 1 or bool(_starts(rule, row.words))


def mentions(rule: Sequence[str], text: str) -> bool:
    """Whether the text, quotes removed, holds the name of the program at all; quick."""
    return rule[0] in _unquoted(text) or "$'" in text


class _Row(Struct, frozen=True):
    words: tuple[str, ...]
    known: frozenset[str]
    bases: frozenset[str]


@functools.lru_cache(maxsize=8)
def _row(text: str) -> _Row:
    bare = _unquoted(text)
    if "{" in bare:  # {rm,-rf,x} is a command of three words
        bare = bare.replace(",", " ")
        bare = _DEFAULT.sub(" ", bare)
    words = tuple(_BETWEEN_WORDS.split(bare))
    return _Row(words, frozenset(words), frozenset(base(word) for word in words))


@functools.lru_cache(maxsize=8)
def _unquoted(text: str) -> str:
    if "$'" in text:
        text = _ESCAPES.sub(_character, text)
    return _QUOTING.sub("", text).casefold()


def _character(escape: re.Match[str]) -> str:
    number = int(escape[2], 8) if escape[2] else int(escape[1] or escape[3], 16)
    return chr(number) if number <= sys.maxunicode else " "


def _starts(rule: Sequence[str], words: Sequence[str]) -> set[int]:
    """Return where the rule's words begin to stand in a row, options left out of account.

    An option may have a value: `git -C . push` and `git -c a=b push` both are `git push`.
    The row is followed from its end, so that the work stays proportional to the text.
    """
    size = len(words)
    ahead = [True] * (size + 3)
    for place in range(len(rule) - 1, -1, -1):
        here = [False] * (size + 3)
        for at in range(size - 1, -1, -1):
            word = words[at] if place else base(words[at])
            if word == rule[place] and ahead[at + 1]:
                here[at] = True
            elif place and word.startswith(_OPTIONAL):
                here[at] = here[at + 1] or (here[at + 2] and word not in _FLAGS)
        ahead = here
    return {at for at in range(size) if ahead[at]}

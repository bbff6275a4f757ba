"""Commands as words, for rules; deliberately poor until a shell grammar reads them.

A text is *plain* when it cannot mean anything but one program with its arguments. Only plain
text is ever allowed by a rule. Denial looks at every text, and sees words wherever they may be.
"""

import re
from collections.abc import Sequence

from agent_cli.approval._wrappers import CARRIERS, WRAPPERS

LONGEST = 65_536
"""Characters of a command that a rule may still allow."""

_PLAIN = re.compile(r"[A-Za-z0-9_./:@%+=,\- \t]+")
_QUOTING = re.compile(r"\\\r?\n|[\\'\"]")
_BETWEEN_WORDS = re.compile(r"[^A-Za-z0-9_./:@%+=,\-\[\]^!~*?\x80-\U0010ffff]+")
_OUTSIDE = re.compile(
    r"""
    (?: ^-[A-Za-z]* | ^ | [=,@] | :(?!//[^/]) ) /     # absolute, and not the two slashes of a URL
    | (?: ^-[A-Za-z]* | ^ | [/=:,@] ) \.\. (?: / | $ )
    | (?: ^ | [=,@] ) file:
    """,
    re.VERBOSE | re.IGNORECASE,
)
_BASE = re.compile(r"[/=]")


def plain(text: str) -> tuple[str, ...] | None:
    """Return the words of a plain command; None when it is empty or anything but plain."""
    command = text.strip(" \t\n")
    if len(command) > LONGEST or not _PLAIN.fullmatch(command):
        return None
    words = tuple(command.split())
    return None if "=" in words[0] else words


def allows(rule: Sequence[str], words: Sequence[str]) -> bool:
    """Whether an allow rule, as words, matches a plain command.

    Not where arguments point outside the workspace, nor where the program runs another.
    """
    if not rule:
        return False
    if any(_OUTSIDE.search(word) for word in words[1:]):
        return False
    if tuple(rule) == ("*",):
        return True
    return words[0] not in WRAPPERS and tuple(words[: len(rule)]) == tuple(rule)


def denies(rule: Sequence[str], text: str) -> bool:
    """Whether a deny rule, as words, matches the text or could match a part of it."""
    if tuple(rule) == ("*",):
        return True
    if not rule:
        return False
    folded = [_base(rule[0]), *(word.casefold() for word in rule[1:])]
    words = plain(text)
    if words is not None and _base(words[0]) not in CARRIERS:
        return 0 in _starts(folded, [word.casefold() for word in words])
    bare = _QUOTING.sub("", text).casefold()
    if "{" in bare:  # {rm,-rf,x} is a command of three words
        bare = bare.replace(",", " ")
    return bool(_starts(folded, _BETWEEN_WORDS.split(bare)))


def _base(word: str) -> str:
    """Return the program that the word could name: alone, in a folder, or given to an option."""
    return _BASE.split(word)[-1].casefold()


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
            word = words[at] if place else _base(words[at])
            if word == rule[place] and ahead[at + 1]:
                here[at] = True
            elif place and word.startswith("-"):
                here[at] = here[at + 1] or here[at + 2]
        ahead = here
    return {at for at in range(size) if ahead[at]}

"""Programs that run what stands in their arguments, and how to find it there."""

import re
from collections.abc import Sequence
from typing import TypeAlias

from msgspec import Struct

from agent_cli.approval._words import vocabulary
from agent_cli.approval._wrapper_names import (
    CARRIERS,
    GRAMMARS,
    READERS,
    SHELLS,
    UNCLEAR,
    WRAPPERS,
    Grammar,
    wrapper_name,
)
from agent_cli.approval.options import Word

_EXECUTING = vocabulary("-exec -execdir -ok -okdir")


class Inner(Struct, frozen=True):
    """A command within a command."""

    words: tuple[Word, ...]
    at: int
    """Which word of the outer command is its first."""
    trusted: bool
    reason: str = ""
    """Why it is not trusted."""
    by_name: bool = False
    """A rule that names the wrapper and the command in it vouches for both."""


class Text(Struct, frozen=True):
    """A script given as an argument."""

    text: str
    trusted: bool


class Unclear(Struct, frozen=True):
    """It runs something that cannot be told from its words."""

    reads_input: bool = False
    """It is a shell, or the like, that runs what it reads."""


Wrapped: TypeAlias = Inner | Text | Unclear


def unwrap(words: Sequence[Word]) -> tuple[Wrapped, ...] | None:
    """Return what the command runs besides itself; None if it runs nothing else."""
    name = wrapper_name(words[0].text)
    if name in SHELLS:
        return (_shell(words),)
    if name == "find":
        return _find(words) or None
    if name == "eval":
        return (Text(" ".join(one.text for one in words[1:]), all(one.exact for one in words)),)
    if name in UNCLEAR:
        return (Unclear(),)
    grammar = GRAMMARS.get(name)
    if grammar is None:
        return None
    return _wrapper(name, grammar, words)


def own_words(words: Sequence[Word]) -> tuple[Word, ...]:
    """Return what is left of a `find` without the commands that it runs."""
    kept: list[Word] = []
    inside = False
    for at, word in enumerate(words):
        if inside:
            inside = not _ends(words, at)
        elif word.text in _EXECUTING:
            inside = True
        else:
            kept.append(word)
    return tuple(kept)


def _ends(words: Sequence[Word], at: int) -> bool:
    """Whether the word is the end of a command that `find` runs."""
    return words[at].text == ";" or (words[at].text == "+" and words[at - 1].text == "{}")


def _shell(words: Sequence[Word]) -> Wrapped:
    """Find the script of `sh -c`."""
    option, script, *_ = (*words[1:3], _NOTHING, _NOTHING)
    if option.text and not option.text.startswith(("-", "+")):
        return Unclear(reads_input=option.text.startswith(_STREAMS))
    letters = set(option.text.removeprefix("-"))
    if "c" not in letters or not letters <= set("ceux") or script.text[:1] in _SIGNS:
        return Unclear(reads_input=True)
    known = wrapper_name(words[0].text) in {"sh", "bash", "dash", "zsh"}
    given = len(words) > _SCRIPT_ENDS and "$" in script.text
    return Text(script.text, known and script.exact and option.exact and not given)


_NOTHING = Word("")
_STREAMS = ("/dev/", "/proc/")
_SCRIPT_ENDS = 3
"""Words of `sh -c SCRIPT`; what follows are the script's own arguments."""
_SIGNS = frozenset(["", "-", "+"])


def _find(words: Sequence[Word]) -> tuple[Wrapped, ...]:
    found: list[Wrapped] = []
    begin = _starts(words)
    for at, word in enumerate(words):
        if word.text not in _EXECUTING:
            continue
        starts = "" if word.text.endswith("dir") else begin  # BSD gives bare names then
        inner: list[Word] = []
        for place in range(at + 1, len(words)):
            if _ends(words, place):
                break
            one = words[place]
            inner.append(Word(f"{starts}*", exact=False) if "{}" in one.text else one)
        if not inner or not inner[0].exact:
            found.append(Unclear())
            continue
        asks = word.text.startswith("-ok")
        found.append(
            Inner(tuple(inner), at + 1, not asks, "it asks whoever runs it" if asks else "")
        )
    return tuple(found)


def _starts(words: Sequence[Word]) -> str:
    """Return what every name that `find` finds begins with."""
    for word in words[1:]:
        if word.text not in {"-H", "-P"}:
            return f"{word.text}/" if word.exact and not word.text.startswith("-") else "./"
    return "./"


def _wrapper(name: str, grammar: Grammar, words: Sequence[Word]) -> tuple[Wrapped, ...] | None:
    at = _after_options(grammar, words)
    if at is None:
        return _without_command(name, words)
    assigned = at
    while grammar.assigns and at < len(words) and "=" in words[at].text:
        at += 1
    begin = at + grammar.operands
    if not all(word.exact for word in words[: begin + 1]):
        return (Unclear(),)
    if begin < len(words) and words[begin].text.startswith("-"):
        return (Unclear(),)
    if begin >= len(words):
        return (Unclear(reads_input=True),) if name in {"xargs", "sudo", "doas"} else None
    inner = tuple(words[begin:])
    reason = "it sets variables" if at > assigned else _distrust(name, grammar)
    if name == "xargs":
        inner = (*inner, Word("*", exact=False))
    by_name = at == assigned and name != "xargs"
    return (Inner(inner, begin, not reason, reason, by_name),)


_SPLITS = re.compile(r"-[iv0]*S|--s\w*-?\w*=?")


def _distrust(name: str, grammar: Grammar) -> str:
    if grammar.trusted:
        return ""
    return {
        "xargs": "what it reads becomes operands",
        "flock": "it makes a file",
    }.get(name, "it runs with the rights of another user")


def _without_command(name: str, words: Sequence[Word]) -> tuple[Wrapped, ...] | None:
    if name == "env":
        for at, word in enumerate(words[1:], 1):
            if (found := _SPLITS.match(word.text)) is not None:
                rest = (word.text[found.end() :], *(one.text for one in words[at + 1 :]))
                return (Text(" ".join(rest), trusted=False),)
    queries = name == "command" and len(words) > 1 and words[1].text in {"-v", "-V"}
    return None if queries else (Unclear(),)


def _after_options(grammar: Grammar, words: Sequence[Word]) -> int | None:
    """Return where the options end; None if one is not known."""
    at = 1
    while at < len(words) and words[at].text.startswith("-"):
        text = words[at].text
        if text == "--":
            return at + 1
        taken = _long(grammar, text) if text.startswith("--") else _short(grammar, text)
        if taken is None:
            return None
        at += taken
    return at


def _long(grammar: Grammar, text: str) -> int | None:
    name, equals, _ = text.partition("=")
    if name in grammar.long_valued:
        return 1 if equals else 2
    return 1 if name in grammar.long_flags and not equals else None


def _short(grammar: Grammar, text: str) -> int | None:
    """Return how many words the option takes."""
    if grammar.numbers and text[1:].isdigit():
        return 1
    for place, letter in enumerate(text[1:], 1):
        if letter in grammar.valued:
            return 1 if place + 1 < len(text) else 2
        if letter not in grammar.flags:
            return None
    return 1


def runs_input(words: Sequence[Word]) -> bool:
    """Whether the command may run what it reads, even where its words name what it runs."""
    name = wrapper_name(words[0].text)
    if name in READERS:
        return True
    return name in CARRIERS and any(wrapper_name(word.text) in WRAPPERS for word in words[1:])

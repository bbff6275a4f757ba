"""What a deny rule finds in a text: the program, wherever it may be run.

Where a text can be read with certainty only the commands in it count, else every word. In doubt
the answer is yes, and nothing here has a limit: beyond one the broadest look is taken.
"""

import functools
import re
from collections.abc import Iterable, Iterator, Sequence

from msgspec import Struct

from agent_cli.approval import _tokens, _tree, _words
from agent_cli.approval._reader import Unreadable, read
from agent_cli.approval._structure import Mark
from agent_cli.approval._wrapper_names import CARRIERS, wrapper_name
from agent_cli.approval._wrappers import Inner, Text, Unclear, Wrapped, runs_input, unwrap
from agent_cli.approval.options import Word, hazard

_DEEPEST = 8
"""Commands within commands that are taken apart before the broadest look is taken."""

_MOST_PIPED = 20
"""Commands of a text for which it is told apart what may flow into each."""
_FEEDS = ("|", "<<", "<(")
_QUOTES = re.compile(r"\\\n|[\\'\"]")


class Denied(Struct, frozen=True):
    rule: str
    part: str


class _Seen(Struct, frozen=True):
    """A command that a text runs, or a text in which every word may begin one."""

    text: str
    words: tuple[str, ...] = ()
    anywhere: bool = False
    """The rule's words may stand anywhere among the words: the program may run others."""


def denying(text: str, rules: Sequence[str], *, certain: bool) -> Denied | None:
    """Return the first rule that denies the text; without `certain` every word counts."""
    for rule in rules:
        if rule.split() == ["*"]:
            return Denied(rule, text)
        words = _words.folded(rule)
        if not words[0] or not _words.mentions(words, text):
            continue
        seen = _seen(text).get(words[0], ()) if certain else (_Seen(text),)
        for one in seen:
            if _denies(words, one):
                return Denied(rule, one.text)
        if certain and (part := _broadly(words, text)) is not None:
            return Denied(rule, part)
    return None


def _denies(rule: Sequence[str], seen: _Seen) -> bool:
    if not seen.words:
        return _words.may_stand_in(rule, seen.text)
    if seen.anywhere:
        return _words.stand_in(rule, seen.words)
    return _words.begin(rule, seen.words)


def _broadly(rule: Sequence[str], text: str) -> str | None:
    return next((one for one in _unclear(text) if _words.may_stand_in(rule, one)), None)


@functools.lru_cache(maxsize=8)
def _seen(text: str) -> dict[str, list[_Seen]]:
    """Return the commands in the text by the programs that they may run."""
    by_program: dict[str, list[_Seen]] = {}
    for one in _all(text):
        names = {_words.base(word) for word in (one.words if one.anywhere else one.words[:1])}
        for name in names:
            by_program.setdefault(name, []).append(one)
    return by_program


@functools.lru_cache(maxsize=8)
def _unclear(text: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(one.text for one in _all(text) if not one.words))


@functools.lru_cache(maxsize=8)
def _all(text: str) -> tuple[_Seen, ...]:
    return tuple(_of_text(text, 0))


def _of_text(text: str, depth: int) -> Iterator[_Seen]:
    if depth > _DEEPEST:
        yield _Seen(text)
        return
    script = read(text)
    if isinstance(script, Unreadable):
        yield from _of_tree(text, depth)
        return
    piped = any(isinstance(item, Mark) and item.sign in {"|", "|&"} for item in script.items)
    few = len(script.commands) <= _MOST_PIPED
    data: list[str] = []
    for command in script.commands:
        before = script.text[: command.start] if few else script.text
        fed = "\n".join((before, *data)) if piped else ""
        yield from _of(command.words, script.part(command), (*command.data, fed), depth)
        data.extend(command.data if few else ())


def _of_tree(text: str, depth: int) -> Iterator[_Seen]:
    found = _tree.commands(text)
    if found is None:
        yield _Seen(text)
        return
    fed = (text,) if any(sign in text for sign in _FEEDS) else ()
    for command in found:
        words = tuple(_word(raw) for raw in command.words)
        if not words[0].exact:
            yield _Seen(text)
        yield from _of(words, command.text, fed, depth)


def _word(raw: str) -> Word:
    """Remove the quotes of a word, as well as that can be done where it has expansions."""
    read = _tokens.word(raw, 0)
    if isinstance(read, _tokens.Read) and read.end == len(raw):
        return read.word
    return Word(_QUOTES.sub("", raw), exact=False)


def _of(words: Sequence[Word], part: str, fed: Iterable[str], depth: int) -> Iterator[_Seen]:
    """Yield the command and all that it runs; `fed` is what it may read."""
    texts = tuple(word.text for word in words)
    yield _Seen(part, texts, anywhere=hazard(words) is not None)
    if depth > _DEEPEST:
        yield _Seen(part)
        return
    if runs_input(words):
        yield from (_Seen(one) for one in fed if one)
    inner = unwrap(words)
    if inner is None:
        if wrapper_name(texts[0]) in CARRIERS:
            yield _Seen(part, texts, anywhere=True)
            yield _Seen(" ".join(texts))
        return
    for one in inner:
        yield from _of_inner(one, texts, part, fed, depth + 1)


def _of_inner(
    inner: Wrapped, texts: Sequence[str], part: str, fed: Iterable[str], depth: int
) -> Iterator[_Seen]:
    match inner:
        case Inner():
            yield from _of(inner.words, part, fed, depth)
        case Text():
            yield from _of_text(inner.text, depth)
            if not inner.trusted:
                yield _Seen(" ".join(texts))
                yield from (_Seen(text) for text in fed if text)
        case Unclear():
            yield _Seen(" ".join(texts))
            if inner.reads_input:
                yield from (_Seen(text) for text in fed if text)

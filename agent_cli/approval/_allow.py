"""Whether rules vouch for every command of a text that was read with certainty."""

from collections.abc import Sequence

from msgspec import Struct

from agent_cli.approval import _builtins, _tree, _words
from agent_cli.approval._reader import Script, Unreadable, read
from agent_cli.approval._wrapper_names import WRAPPERS, wrapper_name
from agent_cli.approval._wrappers import Inner, Text, Unclear, own_words, unwrap
from agent_cli.approval.options import Word, hazard

_DEEPEST = 8


class Doubt(Struct, frozen=True):
    """Why a text is not vouched for."""

    reason: str
    part: str


class Rules(Struct, frozen=True):
    """Allow rules as words."""

    rows: tuple[tuple[str, ...], ...]

    @property
    def all(self) -> bool:
        return ("*",) in self.rows

    def name(self, words: Sequence[Word], longer_than: int = 0) -> bool:
        """Whether a rule of more than so many words matches the command."""
        if self.all:
            return True
        exact = [word.text if word.exact else "\0" for word in words]
        return any(len(row) > longer_than and _words.allows(row, exact) for row in self.rows)

    def named(self, words: Sequence[Word]) -> int:
        """Return how many words of the command its longest rule names, the program at least."""
        exact = [word.text if word.exact else "\0" for word in words]
        return max((len(row) for row in self.rows if _words.allows(row, exact)), default=1)


def rules(texts: Sequence[str]) -> Rules:
    return Rules(tuple(row for text in texts if (row := tuple(text.split()))))


def doubt(script: Script, allow: Rules, depth: int = 0) -> Doubt | None:
    """Return the first doubt about the script; None where the rules vouch for all of it."""
    moves = any(command.words[0].text == "cd" for command in script.commands)
    for command in script.commands:
        reason = _command(command.words, allow, fed=bool(command.data), depth=depth)
        if moves and "/" in command.words[0].text:
            reason = reason or "which program it is depends on the directory"
        if reason is not None:
            return Doubt(reason, script.part(command))
    if not _tree.agrees(script):
        return Doubt("it does not parse", script.text)
    return None


def _command(words: Sequence[Word], allow: Rules, *, fed: bool, depth: int) -> str | None:
    """Say why the command may not run unasked."""
    name = words[0]
    if not name.exact or not name.text.isascii() or not name.text.strip():
        return "the program is not certain"
    if (risk := _builtins.risk(words)) is not None:
        return risk
    inner = unwrap(words)
    if inner is None:
        return _plain(words, allow)
    known = wrapper_name(name.text)
    if known not in WRAPPERS or "/" in name.text or name.text != name.text.lower():
        return f"{name.text!r} could be any program"
    if known == "find":
        reason = _plain(own_words(words), allow)
        if reason is not None:
            return reason
    for one in inner:
        reason = _inner(one, words, allow, fed=fed, depth=depth + 1)
        if reason is not None:
            return reason
    return None


def _plain(words: Sequence[Word], allow: Rules) -> str | None:
    if not allow.name(words):
        return f"no rule allows {words[0].text!r}"
    return hazard(words, allow.named(words))


def _inner(
    one: Inner | Text | Unclear, outer: Sequence[Word], allow: Rules, *, fed: bool, depth: int
) -> str | None:
    if depth > _DEEPEST:
        return "too many commands within commands"
    match one:
        case Text():
            return _text(one, allow, depth)
        case Unclear():
            if fed or one.reads_input or not allow.name(outer, 1):
                return "what it runs is not certain"
            return hazard(outer)
        case Inner():
            if one.by_name and not allow.all and allow.name(outer, one.at):
                allow = Rules((*allow.rows, (one.words[0].text,)))
            elif not one.trusted and not (one.by_name and allow.all):
                return one.reason
            return _command(one.words, allow, fed=fed, depth=depth)


def _text(one: Text, allow: Rules, depth: int) -> str | None:
    if not one.trusted:
        return "the script it runs is not certain"
    script = read(one.text)
    if isinstance(script, Unreadable):
        return script.reason
    found = doubt(script, allow, depth)
    return found.reason if found is not None else None

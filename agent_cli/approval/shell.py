"""The judge of shell commands: may a text run at once, must somebody be asked, is it denied.

Pure, total, and closed in case of doubt:

1. A deny rule finds its program wherever a text may run it (`_deny.py`).
2. An allow rule vouches for simple commands whose meaning is certain to every shell
   (`_reader.py`), confirmed by the bash grammar (`_tree.py`); each one needs a rule, and none may
   do more than its name says (`options.py`).
3. All else is asked about.

What lies outside the workspace is not known here: whoever calls resolves the operands.
"""

from collections.abc import Sequence

from msgspec import Struct

from agent_cli.approval import _allow, _builtins, _deny
from agent_cli.approval._characters import strange
from agent_cli.approval._operands import Operand, operands
from agent_cli.approval._reader import Script, Simple, Unreadable, read
from agent_cli.approval._structure import reserved
from agent_cli.types.approval import Decision

__all__ = ["LONGEST", "Judged", "Operand", "judge", "parts"]

LONGEST = 65_536
"""Bytes of a command that a rule may still allow."""


class Judged(Struct, frozen=True):
    """What the rules say of a command."""

    decision: Decision
    reason: str
    part: str
    """The text of the part that decided."""
    operands: tuple[Operand, ...] = ()
    """Of all simple commands; one that lies outside the workspace means ask."""
    argv: tuple[str, ...] | None = None
    """The program and its arguments, where no shell is needed to run the command."""


class Parts(Struct, frozen=True):
    """What a command consists of, whatever the rules say."""

    operands: tuple[Operand, ...] = ()
    words: tuple[str, ...] = ()
    """Of a text that is one simple command of plain words; else empty."""

    @property
    def argv(self) -> tuple[str, ...] | None:
        """The program and its arguments, if a shell would do no more than start it."""
        if not self.words or not self.words[0] or reserved(self.words[0]):
            return None
        return None if self.words[0] in _builtins.BUILTINS else self.words


def judge(command: str, *, allow: Sequence[str], deny: Sequence[str]) -> Judged:
    """Judge a command by bare rules (`git diff`, or `*` for everything)."""
    if "\0" in command:
        return Judged(Decision.DENY, "it contains a NUL character", command)
    doubtful = _doubtful(command)
    denied = _deny.denying(command, deny, certain=doubtful is None)
    known = parts(command)
    if denied is not None:
        return _judged(Decision.DENY, f"deny {denied.rule.strip()}", denied.part, known)
    if doubtful is not None:
        return _judged(Decision.ASK, doubtful, command, known)
    script = read(command)
    if isinstance(script, Unreadable):
        return _judged(Decision.ASK, script.reason, script.part, known)
    found = _allow.doubt(script, _allow.rules(allow))
    if found is not None:
        return _judged(Decision.ASK, found.reason, found.part, known)
    return _judged(Decision.ALLOW, "every command in it is allowed", command, known)


def parts(command: str) -> Parts:
    """Take a command apart; what cannot be read with certainty has no parts."""
    if "\0" in command or _doubtful(command) is not None:
        return Parts()
    script = read(command)
    if isinstance(script, Unreadable):
        return Parts()
    return Parts(operands(script), _words(script))


def _judged(decision: Decision, reason: str, part: str, known: Parts) -> Judged:
    return Judged(decision, reason, part, known.operands, known.argv)


def _doubtful(command: str) -> str | None:
    """Say why the text is not even read."""
    if len(command) > LONGEST or len(command.encode("utf-8", "surrogatepass")) > LONGEST:
        return "it is longer than 64 KiB"
    return strange(command)


def _words(script: Script) -> tuple[str, ...]:
    first = script.items[0]
    if len(script.items) != 1 or not isinstance(first, Simple) or not first.bare:
        return ()
    if not all(word.exact for word in first.words):
        return ()
    return tuple(word.text for word in first.words)

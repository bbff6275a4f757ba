"""`agent policy check`: a verdict for each command on standard input; nothing is executed.

The rules of a line come on top of the user's settings.
"""

import json
import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct

from agent_cli.approval import rules
from agent_cli.approval.shell import Judged, judge
from agent_cli.cli.ascii_json import ascii_json
from agent_cli.settings.schema import ApprovalSettings
from agent_cli.types.approval import Decision
from agent_cli.workspace.gate import Workspace
from agent_cli.workspace.operands import straying

_ANY = "*"


class Question(Struct, frozen=True):
    """One line. What else its object has is its author's own."""

    cmd: str
    allow: tuple[str, ...] = ()
    deny: tuple[str, ...] = ()
    cwd: str = "."


class Verdict(Struct, frozen=True):
    verdict: Decision
    reason: str
    part: str = ""


class Answer(Struct, frozen=True):
    line: str
    error: str = ""
    """Why the line was none that can be answered; it is denied."""


def answers(lines: Iterable[bytes], approval: ApprovalSettings) -> Iterator[Answer]:
    """Yield one answer for each line that is not blank, in order."""
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            question = _question(line)
        except (ValueError, RecursionError) as error:  # no JSON, or none of ours
            why = f"line {number} cannot be judged: {error}"
            yield Answer(_line(Verdict(Decision.DENY, why)), why)
        else:
            yield Answer(_line(verdict(question, approval)))


def verdict(question: Question, approval: ApprovalSettings) -> Verdict:
    """Judge one command by its own rules and the user's, as `decide` would judge the tool."""
    judged = judge(
        question.cmd,
        allow=(*question.allow, *_bare(approval.rules.allow)),
        deny=(*question.deny, *_bare(approval.rules.deny)),
    )
    said = Verdict(judged.decision, judged.reason, judged.part)
    if judged.decision is Decision.DENY:
        return said
    if approval.execute is Decision.DENY:
        return Verdict(Decision.DENY, "execute = deny", question.cmd)
    if judged.decision is Decision.ASK:
        if approval.execute is Decision.ASK or not question.cmd.strip():
            return said
        said = Verdict(Decision.ALLOW, "execute = allow", question.cmd)
    return _asked_for(question, approval) or _outside(question, judged) or said


def _asked_for(question: Question, approval: ApprovalSettings) -> Verdict | None:
    if not approval.rules.ask:
        return None
    judged = judge(question.cmd, allow=(), deny=_bare(approval.rules.ask))
    if judged.decision is not Decision.DENY:
        return None
    return Verdict(Decision.ASK, judged.reason.replace("deny", "ask", 1), judged.part)


def _outside(question: Question, judged: Judged) -> Verdict | None:
    named = ((operand.path, operand.cwd) for operand in judged.operands)
    workspace = Workspace(Path(question.cwd))
    found = straying(workspace, named, os.environ.get("HOME", ""))
    return None if found is None else Verdict(Decision.ASK, "outside the workspace", found)


def _bare(texts: tuple[str, ...]) -> tuple[str, ...]:
    """Return the command rules among the settings' rules, as a line writes them."""
    found = [rules.parse(text) for text in texts]
    return tuple(
        _ANY if rule.pattern is None else rule.pattern
        for rule in found
        if rule.tool == rules.COMMANDS
    )


def _question(line: bytes) -> Question:
    value = json.loads(line.decode("utf-8", "surrogateescape"), object_pairs_hook=_unique)
    question = msgspec.convert(value, Question)
    os.fsencode(question.cwd)  # UnicodeEncodeError is a ValueError
    if "\0" in question.cwd:
        raise ValueError("its cwd contains a NUL character")
    return question


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) != len(pairs):
        raise ValueError("a key is repeated, so what holds cannot be known")
    return members


def _line(answer: Verdict) -> str:
    return ascii_json(msgspec.structs.asdict(answer))

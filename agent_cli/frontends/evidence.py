"""What a task can show for itself, in lines for people; in `words` where signs say nothing."""

from collections.abc import Iterable

from agent_cli.frontends.sanitiser import in_one_line
from agent_cli.i18n.catalog import say, say_many
from agent_cli.types.evidence import Check, CommandRun, Evidence, FileChange

MOST = 6
"""Lines of one kind; the rest is counted."""
_LONGEST = 100
"""Characters of a line."""


def evidence_lines(evidence: Evidence, *, words: bool = False) -> list[str]:
    """Return the lines, each kind under its heading; none if there is nothing to show."""
    passed = [check for check in evidence.checks if check.passed]
    return [
        *_group(say("Files changed:"), (_change(one, words=words) for one in evidence.changed)),
        *_group(say("Commands run:"), (_command(one, words=words) for one in evidence.commands)),
        *_group(
            say("Checks passed:"),
            (check.command if words else f"✓ {check.command}" for check in passed),
        ),
    ]


def check_line(check: Check, *, words: bool = False) -> str:
    """Return how a check ended."""
    told = say("check: {command}", command=in_one_line(check.command))
    if check.passed:
        return f"{_mark('✓', say('passed'), words=words)} {told}"
    how = say("had no end") if check.exit_code is None else str(check.exit_code)
    return _ended(f"{_mark('✗', say('failed'), words=words)} {told}", how, words=words)


def _group(heading: str, lines: Iterable[str]) -> list[str]:
    shown = [f"  {_short(in_one_line(line))}" for line in lines]
    if not shown:
        return []
    more = len(shown) - MOST
    rest = [f"  {say_many('({count} more)', '({count} more)', count=more)}"] if more > 0 else []
    return [heading, *shown[:MOST], *rest]


def _short(line: str) -> str:
    return line if len(line) <= _LONGEST else f"{line[: _LONGEST - 1]}…"


def _change(change: FileChange, *, words: bool) -> str:
    if change.before is None:
        return f"{_mark('+', say('added'), words=words)} {change.path}"
    if change.after is None:
        return f"{_mark('-', say('removed'), words=words)} {change.path}"
    return change.path if words else f"~ {change.path}"


def _command(ran: CommandRun, *, words: bool) -> str:
    end = ran.outcome.value if ran.exit_code is None else str(ran.exit_code)
    command = " ".join(ran.command.split())
    return _ended(command[: _LONGEST - 20], end, words=words)


def _mark(sign: str, word: str, *, words: bool) -> str:
    return f"[{word}]" if words else sign


def _ended(what: str, how: str, *, words: bool) -> str:
    return f"{what}: {how}" if words else f"{what} → {how}"

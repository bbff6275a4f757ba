"""What a task can show for itself, in a few lines for people."""

from collections.abc import Iterable

from agent_cli.frontends.sanitiser import in_one_line
from agent_cli.i18n.catalog import say, say_many
from agent_cli.types.evidence import Check, CommandRun, Evidence, FileChange

MOST = 6
"""Lines of one kind; the rest is counted."""
_LONGEST = 100
"""Characters of a line."""


def evidence_lines(evidence: Evidence) -> list[str]:
    """Return the lines, each kind under its heading; none if there is nothing to show."""
    passed = [check for check in evidence.checks if check.passed]
    return [
        *_group(say("Files changed:"), map(_change, evidence.changed)),
        *_group(say("Commands run:"), map(_command, evidence.commands)),
        *_group(say("Checks passed:"), (f"✓ {check.command}" for check in passed)),
    ]


def check_line(check: Check) -> str:
    """Return how a check ended."""
    command = in_one_line(check.command)
    if check.passed:
        return f"✓ {say('check: {command}', command=command)}"
    how = say("had no end") if check.exit_code is None else str(check.exit_code)
    return f"✗ {say('check: {command}', command=command)} → {how}"


def _group(heading: str, lines: Iterable[str]) -> list[str]:
    shown = [f"  {_short(in_one_line(line))}" for line in lines]
    if not shown:
        return []
    more = len(shown) - MOST
    rest = [f"  {say_many('({count} more)', '({count} more)', count=more)}"] if more > 0 else []
    return [heading, *shown[:MOST], *rest]


def _short(line: str) -> str:
    return line if len(line) <= _LONGEST else f"{line[: _LONGEST - 1]}…"


def _change(change: FileChange) -> str:
    sign = "+" if change.before is None else "-" if change.after is None else "~"
    return f"{sign} {change.path}"


def _command(ran: CommandRun) -> str:
    end = ran.outcome.value if ran.exit_code is None else str(ran.exit_code)
    command = " ".join(ran.command.split())
    return f"{command[: _LONGEST - 20]} → {end}"

"""What a task can show for itself, kept up to date by what is recorded.

Bounded: of very many reads and commands only the latest are kept, of changes all.
"""

from collections.abc import Iterable

from msgspec.structs import replace

from agent_cli.engine.task import Task
from agent_cli.types.effects import Kind
from agent_cli.types.entries import CallDecided
from agent_cli.types.evidence import CommandRun, Evidence, FileChange, FileRead
from agent_cli.types.messages import ToolResult

MOST_READS = 200
MOST_COMMANDS = 50


def with_reads(evidence: Evidence, read: tuple[FileRead, ...]) -> Evidence:
    if not read:
        return evidence
    paths = {one.path for one in read}
    older = tuple(one for one in evidence.read if one.path not in paths)
    return replace(evidence, read=(*older, *read)[-MOST_READS:])


def with_command(evidence: Evidence, decided: CallDecided, result: ToolResult) -> Evidence:
    commands = tuple(
        CommandRun(effect.target, result.outcome, result.exit_code)
        for effect in decided.effects
        if effect.kind is Kind.EXECUTE
    )
    if not commands:
        return evidence
    return replace(evidence, commands=(*evidence.commands, *commands)[-MOST_COMMANDS:])


def with_changes(evidence: Evidence, changes: tuple[FileChange, ...]) -> Evidence:
    """Return the evidence after more changes; what was brought back to its beginning is none."""
    if not changes:
        return evidence
    changed = {one.path: one for one in evidence.changed}
    for one in changes:
        first = changed.pop(one.path, one)
        if first.before != one.after:
            changed[one.path] = FileChange(one.path, first.before, one.after)
    return replace(evidence, changed=tuple(changed.values()))


def taken_over(evidence: Evidence, child: Evidence) -> Evidence:
    """Return what a task can show together with its subtask."""
    both = with_changes(evidence, child.changed)
    return replace(both, commands=(*evidence.commands, *child.commands)[-MOST_COMMANDS:])


def root_evidence(tasks: Iterable[Task]) -> Evidence:
    """Return what the session's task can show, with what subtasks have done until now."""
    shown = Evidence()
    for task in reversed(tuple(tasks)):
        shown = taken_over(task.evidence, shown)
    return shown

"""What becomes of the open calls, one after the other."""

from typing import TypeAlias

from msgspec.structs import replace

from agent_cli.engine.ahead import verdict_on
from agent_cli.engine.answers import with_answers
from agent_cli.engine.demand import demand
from agent_cli.engine.evidence import with_changes, with_command, with_reads
from agent_cli.engine.outcomes import COMPLETION, LAW, Ran, blocks, skips
from agent_cli.engine.task import Last, Task
from agent_cli.types.approval import Decision
from agent_cli.types.entries import (
    CallDecided,
    CallFinished,
    CallStarted,
    CheckRun,
    FilesChanged,
    PreImageKept,
)
from agent_cli.types.evidence import Evidence
from agent_cli.types.messages import ToolCall, ToolResult
from agent_cli.types.outcomes import Code, Outcome
from agent_cli.types.turn_rules import TurnRules

OfCall: TypeAlias = (
    CallDecided | CallStarted | CallFinished | CheckRun | PreImageKept | FilesChanged
)


def is_repeated(task: Task, call: ToolCall, result: ToolResult) -> bool:
    """Whether the call that ran last was this very call, with this very result."""
    return task.last == _last(call, result)


def apply_to_call(task: Task, entry: OfCall, rules: TurnRules) -> Task:
    """Return the task after the next fact of its first open call; raises if it is another's."""
    call_id = entry.result.call_id if isinstance(entry, CallFinished) else entry.call_id
    demand(
        bool(task.open_calls) and task.open_calls[0].id == call_id,
        f"{call_id!r} is not the first open call",
    )
    match entry:
        case CallDecided():
            demand(task.started is None, f"{call_id!r} has started already")
            return replace(task, decided=entry)
        case CallStarted():
            return _started(task, entry)
        case CallFinished():
            return _finished(task, task.open_calls[0], entry, rules)
        case CheckRun():
            demand(task.started is not None, f"{call_id!r} was checked without running")
            checks = (*task.evidence.checks, entry.check)
            return replace(task, evidence=replace(task.evidence, checks=checks))
        case PreImageKept():
            demand(task.started is not None, f"{call_id!r} keeps files without running")
            return replace(task, kept=(*task.kept, entry))
        case FilesChanged():
            demand(task.started is not None, f"{call_id!r} changed files without running")
            evidence = with_changes(task.evidence, entry.changes)
            return replace(task, changed=(*task.changed, *entry.changes), evidence=evidence)


def _started(task: Task, entry: CallStarted) -> Task:
    demand(task.started is None, f"{entry.call_id!r} has started already")
    allowed = task.decided is not None and task.decided.decision is Decision.ALLOW
    demand(allowed, f"{entry.call_id!r} started without leave")
    demand(task.skipping is None, f"{entry.call_id!r} started though it is to be skipped")
    ahead = verdict_on(task, entry.call_id)
    demand(ahead is None or ahead.verdict.approved, f"{entry.call_id!r} started though rejected")
    evidence = task.evidence
    if task.open_calls[0].name == COMPLETION:
        evidence = replace(evidence, checks=())
    return replace(task, started=entry, used_tool=True, evidence=evidence)


def _finished(task: Task, call: ToolCall, entry: CallFinished, rules: TurnRules) -> Task:
    result = entry.result
    demand(
        LAW[result.outcome].ran is not Ran.YES or task.started is not None,
        f"{call.id!r} ended unstarted",
    )
    finished = result.outcome is Outcome.OK and result.code is Code.FINISHED
    demand(
        (entry.completion is not None) == finished,
        f"{call.id!r} completes the task without a result, or gives one without completing it",
    )
    demand(not (finished and task.blocked), f"{call.id!r} completes the task after a failure")
    last, repeats = _repetition(task, call, result)
    blocked = blocks(result, rules)
    return replace(
        task,
        messages=(*task.messages, result),
        answers=with_answers(task, call, entry),
        open_calls=task.open_calls[1:],
        answered=task.answered + 1,
        verdicts=tuple(one for one in task.verdicts if one.call_id != call.id),
        decided=None,
        started=None,
        kept=(),
        blocked=task.blocked or blocked,
        failed=task.failed or (_failed(result) and blocked and call.name != COMPLETION),
        skipping=task.skipping or skips(result.outcome, result.code),
        completion=entry.completion if finished else task.completion,
        check_failed=_check_failed(task, call, result),
        barren=0 if result.outcome is Outcome.OK else task.barren,
        refused=task.refused + _is_refused(result),
        last=last,
        repeats=repeats,
        denials=_denials(task, call, result.outcome),
        unresolved=_unresolved(task, call, result, blocked=blocked),
        evidence=_evidence(task, entry),
    )


def _failed(result: ToolResult) -> bool:
    """Whether it was tried and did not come off; a command's status can say so, too."""
    return result.outcome in {Outcome.FAILED, Outcome.OK}


def _is_refused(result: ToolResult) -> bool:
    # what is skipped after it has the same code
    return (result.outcome, result.code) == (Outcome.FAILED, Code.FAILED_EARLIER)


def _check_failed(task: Task, call: ToolCall, result: ToolResult) -> bool:
    if call.name != COMPLETION:
        return task.check_failed
    if result.code is Code.CHECK_FAILED:
        return True
    return task.check_failed and result.outcome is not Outcome.OK


def _repetition(task: Task, call: ToolCall, result: ToolResult) -> tuple[Last | None, int]:
    if task.started is None:
        return task.last, task.repeats
    return _last(call, result), task.repeats + 1 if is_repeated(task, call, result) else 1


def _last(call: ToolCall, result: ToolResult) -> Last:
    return Last(call.name, call.arguments, result.outcome, result.content)


def _targets(task: Task, call: ToolCall) -> set[tuple[str, str]]:
    effects = task.decided.effects if task.decided else ()
    return {(call.name, effect.target) for effect in effects} or {(call.name, "")}


def _denials(task: Task, call: ToolCall, outcome: Outcome) -> tuple[tuple[str, str], ...]:
    if outcome is Outcome.DENIED:
        return (*task.denials, *sorted(_targets(task, call).difference(task.denials)))
    if outcome is Outcome.OK and task.denials:
        targets = _targets(task, call)
        return tuple(denial for denial in task.denials if denial not in targets)
    return task.denials


def _unresolved(
    task: Task, call: ToolCall, result: ToolResult, *, blocked: bool
) -> tuple[tuple[str, str], ...]:
    """Keep account of failures: one without a target ends with a success of the same tool."""
    if call.name == COMPLETION or result.outcome is Outcome.SKIPPED:
        return task.unresolved
    targets = _targets(task, call)
    if blocked:
        return (*task.unresolved, *sorted(targets.difference(task.unresolved)))
    if not task.unresolved:
        return ()
    made_good = {target for _, target in targets if target}
    return tuple(
        (name, target)
        for name, target in task.unresolved
        if (target not in made_good if target else name != call.name)
    )


def _evidence(task: Task, entry: CallFinished) -> Evidence:
    evidence = with_reads(task.evidence, entry.read)
    if task.started is None or task.decided is None:
        return evidence
    return with_command(evidence, task.decided, entry.result)

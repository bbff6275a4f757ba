"""The law of outcomes: what each outcome of a call means, in one table.

The completion guard, prompts, exit status, `agent verify` and JSON events read it;
nothing else decides what blocks, skips or counts as an error.
"""

from enum import StrEnum

from msgspec import Struct

from agent_cli.types.messages import ToolResult
from agent_cli.types.outcomes import Code, Outcome
from agent_cli.types.turn_rules import EXIT_NONZERO, TurnRules


class Ran(StrEnum):
    """Whether the call had the chance to change anything."""

    YES = "yes"
    NO = "no"
    MAYBE = "maybe"


class Law(Struct, frozen=True):
    """What one outcome means."""

    ran: Ran
    blocks: bool
    """Blocks a completion later in the same message."""
    skips: Code | None
    """Why what follows in the message is skipped, if it is."""


LAW: dict[Outcome, Law] = {
    Outcome.OK: Law(Ran.YES, blocks=False, skips=None),
    Outcome.FAILED: Law(Ran.MAYBE, blocks=True, skips=None),
    Outcome.DENIED: Law(Ran.NO, blocks=True, skips=None),
    Outcome.REJECTED: Law(Ran.NO, blocks=True, skips=Code.REJECTED_EARLIER),
    Outcome.SKIPPED: Law(Ran.NO, blocks=True, skips=None),
    Outcome.INTERRUPTED: Law(Ran.NO, blocks=True, skips=Code.INTERRUPTED),
    Outcome.UNKNOWN: Law(Ran.MAYBE, blocks=True, skips=Code.INTERRUPTED),
}

COMPLETION = "attempt_completion"
"""The one tool whose call the guard may refuse."""

_ENDS_THE_MESSAGE = {
    **{code: code for code in (Code.FINISHED, Code.FEEDBACK, Code.FAILED_EARLIER)},
    Code.SUBTASK_COMPLETED: Code.SUBTASK_STARTED,
    Code.SUBTASK_FAILED: Code.SUBTASK_STARTED,
    Code.SUBTASK_CANCELLED: Code.SUBTASK_STARTED,
}
"""Codes of a completion that was accepted, answered with feedback, or refused, and of a call that
a subtask has answered: with why what comes after it is skipped."""


def skips(outcome: Outcome, code: Code | None) -> Code | None:
    """Why the calls after one with this outcome are skipped; None if they are not."""
    if code is not None and code in _ENDS_THE_MESSAGE:
        return _ENDS_THE_MESSAGE[code]
    return LAW[outcome].skips


def blocks(result: ToolResult, rules: TurnRules) -> bool:
    """Whether a call with this result keeps its message from completing the task."""
    if result.outcome is Outcome.OK:
        return bool(result.exit_code) and EXIT_NONZERO in rules.block_on
    return result.outcome in rules.block_on


class Verdict(StrEnum):
    """How a run ended; each has one exit status."""

    COMPLETED = "completed"
    UNRESOLVED = "unresolved_failure"
    DENIED = "denied"
    LIMIT = "limit"
    CHECK_FAILED = "check_failed"
    STOPPED = "stopped"
    AUTHENTICATION = "authentication"
    CONFIGURATION = "configuration"
    UNAVAILABLE = "provider_unavailable"
    BUG = "internal_error"
    USAGE = "usage"
    INTERRUPTED = "interrupted"
    TERMINATED = "terminated"


EXIT_STATUS: dict[Verdict, int] = {
    Verdict.COMPLETED: 0,
    Verdict.BUG: 1,
    Verdict.USAGE: 2,
    Verdict.UNRESOLVED: 3,
    Verdict.DENIED: 4,
    Verdict.LIMIT: 5,
    Verdict.CHECK_FAILED: 6,
    Verdict.STOPPED: 7,
    Verdict.AUTHENTICATION: 41,
    Verdict.CONFIGURATION: 52,
    Verdict.UNAVAILABLE: 75,
    Verdict.INTERRUPTED: 130,
    Verdict.TERMINATED: 143,
}

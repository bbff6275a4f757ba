"""What the user has decided about failures: a fact of the session, recorded in its journal."""

from enum import StrEnum

from msgspec import Struct

EXIT_NONZERO = "exit_nonzero"
"""Names a command that ran and ended with another status than 0."""


class OnFailure(StrEnum):
    """What becomes of the rest of a message after a call of it failed."""

    CONTINUE = "continue"
    STOP = "stop"
    """The rest is skipped."""
    ROLLBACK = "rollback"
    """The rest is skipped, and what the message changed is restored."""


class Scope(StrEnum):
    """For how long a failure keeps the task from being completed."""

    TURN = "turn"
    """For the rest of its message."""
    RESOLVED = "resolved"
    """Until a later call on the same target succeeds, or the user waives it."""


class TurnRules(Struct, frozen=True, omit_defaults=True):
    on_failure: OnFailure = OnFailure.CONTINUE
    block_on: tuple[str, ...] = (
        "failed",
        "denied",
        "rejected",
        "skipped",
        "interrupted",
        "unknown",
    )
    """Outcomes that keep a message from completing the task, and perhaps `exit_nonzero`."""
    scope: Scope = Scope.TURN

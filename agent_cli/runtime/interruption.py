"""How work stops in the middle: why is recorded, and every open call is answered truthfully."""

from collections.abc import Callable

from agent_cli.engine.steps import (
    AwaitUser,
    Finish,
    NudgeModel,
    ReturnToParent,
    Rules,
    Settle,
    next_step,
)
from agent_cli.runtime.facts import fact
from agent_cli.runtime.session import Session
from agent_cli.types.entries import Interrupted
from agent_cli.types.outcomes import Nudge, Stop


def interrupt(session: Session, rules: Rules, stopped: Interrupted) -> None:
    """Record that work stopped, and settle what it left open."""
    session.append(stopped)
    while isinstance(step := next_step(session.state, rules), Settle):
        session.append(fact(step, session.state))
    session.sync()


def recover(session: Session, rules: Rules, find_changes: Callable[[], None]) -> bool:
    """Settle what a killed process left open; return whether there was anything.

    `find_changes` records what the call has changed in whose middle it was killed.
    """
    while True:
        match next_step(session.state, rules):
            case Finish() | ReturnToParent() as step:
                session.append(fact(step, session.state))
            case AwaitUser() | NudgeModel(code=Nudge.NO_TOOL):
                return False  # the model's last word was a text: perhaps the user had the floor
            case _:
                find_changes()
                interrupt(session, rules, Interrupted(Stop.KILLED))
                return True

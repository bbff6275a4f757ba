"""How work stops in the middle: why is recorded, and every open call is answered truthfully."""

from agent_cli.engine.steps import Rules, Settle, next_step
from agent_cli.runtime.session import Session
from agent_cli.types.entries import CallFinished, Interrupted
from agent_cli.types.messages import ToolResult


def interrupt(session: Session, rules: Rules, stopped: Interrupted) -> None:
    """Record that work stopped, and settle what it left open."""
    session.append(stopped)
    while isinstance(step := next_step(session.state, rules), Settle):
        settle(session, step)
    session.sync()


def settle(session: Session, step: Settle) -> None:
    """Answer a call that does not run."""
    session.append(CallFinished(ToolResult(step.call.id, step.outcome, step.code)))

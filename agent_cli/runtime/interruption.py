"""How work stops in the middle: why is recorded, and every open call is answered truthfully."""

from agent_cli.engine.steps import Rules, Settle, next_step
from agent_cli.runtime.facts import fact
from agent_cli.runtime.session import Session
from agent_cli.types.entries import Interrupted


def interrupt(session: Session, rules: Rules, stopped: Interrupted) -> None:
    """Record that work stopped, and settle what it left open."""
    session.append(stopped)
    while isinstance(step := next_step(session.state, rules), Settle):
        session.append(fact(step, session.state))
    session.sync()

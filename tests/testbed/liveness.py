"""L1: what one message of the user leads to, from any state of a session."""

from agent_cli.engine.state import apply
from agent_cli.engine.steps import (
    Awaiting,
    AwaitUser,
    CallModel,
    DeliverInput,
    Dispatch,
    RollBack,
    Rules,
    Step,
    next_step,
)
from agent_cli.engine.task import State
from agent_cli.runtime.facts import fact
from agent_cli.types.entries import Entry, FilesRestored, Interrupted, UserSaid
from agent_cli.types.outcomes import Stop


def done_alone(step: Step, state: State) -> Entry:
    """What a step records that needs neither model, tool nor person."""
    match step:
        case RollBack():
            paths = tuple(change.path for change in state.task.changed)
            return FilesRestored((), "rollback", conflicts=paths)
        case DeliverInput(text):
            return UserSaid(text, queued=True)
        case CallModel() | Dispatch() | AwaitUser():
            raise AssertionError(f"{step!r} is not done alone")
        case _:
            return fact(step, state)


def at_rest(state: State, rules: Rules) -> State:
    """Interrupt what is at work, as the program does before it listens to the user."""
    if isinstance(next_step(state, rules), AwaitUser):
        return state
    state = apply(state, Interrupted(Stop.USER))
    while state.task.open_calls:
        state = apply(state, done_alone(next_step(state, rules), state))
    assert next_step(state, rules) == AwaitUser(Awaiting.INTERRUPTED)
    return state


def a_message_leads_on(state: State, rules: Rules) -> None:
    """See that it leads to a request, or to the limit that forbids one, in few steps."""
    state = at_rest(state, rules)
    # of each task: files put back, a limit or a result, and the floor
    most = len(state.queued) + sum(3 + len(task.open_calls) for task in state.tasks)
    state = apply(state, UserSaid("go on"))
    for _ in range(most):
        step = next_step(state, rules)
        if isinstance(step, CallModel) or step == AwaitUser(Awaiting.LIMIT):
            return
        state = apply(state, done_alone(step, state))
    raise AssertionError(f"the message led nowhere in {most} steps, but to {state!r}")

"""How much a session may use up, and its subtasks of it."""

from msgspec import Struct

from agent_cli.engine.task import Spent, State
from agent_cli.types.outcomes import Limit

SHARE = 0.5
"""Of what is left when a subtask starts: so much of it the subtask may use."""


class Budget(Struct, frozen=True):
    """For the whole session, over restarts, subtasks and retries; None is no limit."""

    turns: int | None = None
    """Model responses."""
    tokens: int | None = None
    """Read and written."""
    cost: float | None = None
    """US dollars."""
    seconds: float | None = None
    """Of models and calls at work."""


class UsedUp(Struct, frozen=True):
    limit: Limit
    of_subtask: bool
    """Only the share of the running subtask is used up."""


class Account(Struct, frozen=True):
    """How one budget stands."""

    limit: Limit
    used: float
    most: float | None


def accounts(spent: Spent, budget: Budget) -> tuple[Account, ...]:
    """Return how every budget stands, whether it is limited or not."""
    whole = (budget.turns, budget.tokens, budget.cost, budget.seconds)
    return tuple(map(Account, Limit, _amounts(spent), whole))


def used_up(state: State, budget: Budget) -> UsedUp | None:
    """Return which limit is reached, if one is."""
    now = _amounts(state.used)
    whole = (budget.turns, budget.tokens, budget.cost, budget.seconds)
    for limit, used, most, *began in zip(
        Limit, now, whole, *(_amounts(task.began) for task in state.tasks[1:]), strict=True
    ):
        if most is None:
            continue
        if used >= most:
            return UsedUp(limit, of_subtask=False)
        share = float(most)
        for start in began:
            share = start + (share - start) * SHARE
        if used >= share:
            return UsedUp(limit, of_subtask=True)
    return None


def _amounts(spent: Spent) -> tuple[float, float, float, float]:
    """Return the numbers in the order of `Limit`."""
    usage = spent.usage
    tokens = usage.input_tokens + usage.output_tokens
    return spent.turns, tokens, usage.cost or 0.0, spent.seconds

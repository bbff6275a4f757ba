"""Budgets: before each request something is left of them, whatever was used up on the way.

I14: never exceeded by more than one request in flight; subtasks, retries and restarts count. What
was used is added up here from the entries alone.
"""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from testbed.story import SESSION, allowed, asked, call, ran, story

from agent_cli.engine.budget import SHARE, Account, Budget, UsedUp, accounts, used_up
from agent_cli.engine.outcomes import COMPLETION
from agent_cli.engine.state import apply, fold
from agent_cli.engine.steps import (
    AwaitUser,
    CallModel,
    Dispatch,
    NudgeModel,
    ReturnToParent,
    Rules,
    StopForBudget,
    next_step,
)
from agent_cli.engine.subtasks import SUBTASK
from agent_cli.engine.task import State
from agent_cli.runtime.facts import fact
from agent_cli.types.entries import (
    AssistantSaid,
    AttemptLost,
    CallFinished,
    CallStarted,
    Entry,
    HistoryCompacted,
    Interrupted,
    TaskStarted,
    UserSaid,
)
from agent_cli.types.messages import AssistantMessage, StopReason, Text, ToolResult
from agent_cli.types.outcomes import Code, Limit, Outcome, Stop
from agent_cli.types.usage import Usage

COSTS = st.sampled_from([None, 0.0, 0.25, 1.0])
USAGES = st.builds(
    Usage, input_tokens=st.integers(0, 50), output_tokens=st.integers(0, 20), cost=COSTS
)
SECONDS = st.sampled_from([0.0, 0.5, 3.0])
BUDGETS = st.builds(
    Budget,
    turns=st.none() | st.integers(1, 6),
    tokens=st.none() | st.integers(1, 200),
    cost=st.none() | st.sampled_from([0.0, 0.5, 2.0]),
    seconds=st.none() | st.sampled_from([0.0, 1.0, 6.0]),
)
NAMES = st.lists(st.sampled_from(["read_file", SUBTASK, COMPLETION]), max_size=3)


def amounts(told: list[Entry]) -> list[float]:
    """Add up turns, tokens, cost and seconds."""
    said = [one for one in told if isinstance(one, AssistantSaid)]
    usages = [one.message.usage for one in said]
    usages += [one.usage for one in told if isinstance(one, AttemptLost)]
    timed = [one for one in told if isinstance(one, AssistantSaid | AttemptLost | CallFinished)]
    return [
        len(said),
        sum(one.input_tokens + one.output_tokens for one in usages),
        sum(one.cost or 0.0 for one in usages),
        sum(one.seconds for one in timed),
    ]


class Session:
    """Does what the steps say, and looks before each request at what is left."""

    def __init__(self, budget: Budget, draw: Any) -> None:
        self.draw = draw
        self.budget = budget
        self.rules = Rules(budget=budget)
        self.told: list[Entry] = []
        self.state = State()
        self.calls = 0
        self.caps = [[budget.turns, budget.tokens, budget.cost, budget.seconds]]
        """What the whole may have used up at most, task by task."""
        self.tell(SESSION, TaskStarted("code"), UserSaid("do it"))

    def tell(self, *told: Entry) -> None:
        for entry in told:
            self.state = apply(self.state, entry)
            self.told.append(entry)

    def step(self) -> bool:
        """Take one step; return whether there is another."""
        if self.draw(st.integers(0, 9)) == 0:
            self.state = fold(self.told)  # as after a restart
        match next_step(self.state, self.rules):
            case CallModel():
                return self.request()
            case Dispatch(one):
                self.run(one.id, one.name)
            case ReturnToParent() as step:
                self.tell(fact(step, self.state))
                self.caps.pop()
            case StopForBudget() | AwaitUser():
                return False
            case step:
                self.tell(fact(step, self.state))
        return True

    def something_is_left(self) -> None:
        for used, most in zip(amounts(self.told), self.caps[-1], strict=True):
            assert most is None or used < most

    def request(self) -> bool:
        self.something_is_left()
        for _ in range(self.draw(st.integers(0, 2))):
            self.tell(AttemptLost(self.draw(USAGES)))
            found = used_up(self.state, self.budget)
            if found is not None and not found.of_subtask:
                self.tell(Interrupted(Stop.ERROR))
                return False
        names = self.draw(NAMES)
        made = []
        for name in names:
            self.calls += 1
            made.append(call(f"c{self.calls}", name))
        reason = StopReason.CALLS if made else StopReason.END
        blocks = (Text("so"), *made)
        message = AssistantMessage(blocks, reason, self.draw(USAGES))
        self.tell(AssistantSaid(message, self.draw(SECONDS)))
        return True

    def run(self, call_id: str, name: str) -> None:
        self.tell(allowed(call_id), CallStarted(call_id))
        if name == SUBTASK:
            used = amounts(self.told)
            self.caps.append([
                None if most is None else start + (most - start) * SHARE
                for start, most in zip(used, self.caps[-1], strict=True)
            ])  # fmt: skip
            self.tell(TaskStarted("code", call_id, "do a part"))
            return
        seconds = self.draw(SECONDS)
        if name == COMPLETION:
            done = ToolResult(call_id, Outcome.OK, Code.FINISHED)
            self.tell(CallFinished(done, completion="done", seconds=seconds))
        else:
            outcome = self.draw(st.sampled_from([Outcome.OK, Outcome.FAILED]))
            self.tell(CallFinished(ToolResult(call_id, outcome), seconds=seconds))


@pytest.mark.invariant("I14")
@given(BUDGETS, st.data())
def test_i14_before_each_request_something_is_left_of_every_budget(budget: Budget, data: Any):
    session = Session(budget, data.draw)
    for _ in range(40):
        if not session.step():
            break
    found = [account.used for account in accounts(session.state.used, budget)]
    assert found == pytest.approx(amounts(session.told))
    assert fold(session.told) == session.state


ONE = Usage(30, 10, cost=0.5)
SPENT: dict[str, tuple[Entry, list[float]]] = {
    "an answer": (AssistantSaid(AssistantMessage((), usage=ONE), 2.0), [1, 40, 0.5, 2.0]),
    "a lost answer": (AttemptLost(ONE, 1.5), [0, 40, 0.5, 1.5]),
    "a summary": (HistoryCompacted("so far", 0, "user", asked=True, usage=ONE), [1, 40, 0.5, 0]),
}


@pytest.mark.parametrize(("entry", "used"), SPENT.values(), ids=SPENT)
def test_what_is_used_is_counted(entry: Entry, used: list[float]):
    state = story(entry)
    assert [account.used for account in accounts(state.used, Budget())] == used


def test_the_time_of_a_call_is_counted():
    finished = CallFinished(ToolResult("a", Outcome.OK), seconds=2.5)
    state = story(asked("a"), allowed("a"), CallStarted("a"), finished)
    assert accounts(state.used, Budget(seconds=9.0))[-1] == Account(Limit.TIME, 2.5, 9.0)


EACH = {
    Limit.TURNS: Budget(turns=1),
    Limit.TOKENS: Budget(tokens=40),
    Limit.COST: Budget(cost=0.5),
    Limit.TIME: Budget(seconds=2.0),
}


@pytest.mark.parametrize("limit", EACH)
def test_the_budget_that_is_used_up_is_named(limit: Limit):
    said = AssistantSaid(AssistantMessage((call("a"),), usage=ONE), 2.0)
    state = story(said, ran("a"))
    assert used_up(state, EACH[limit]) == UsedUp(limit, of_subtask=False)
    assert next_step(state, Rules(budget=EACH[limit])) == StopForBudget(limit)


def test_a_nudge_is_no_request():
    state = story(asked(text="well"))
    assert isinstance(next_step(state, Rules(budget=Budget(turns=1))), NudgeModel)

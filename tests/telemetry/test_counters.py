"""How often what happened, counted from facts."""

from typing import Any

import pytest
from testbed.journals import SESSION
from testbed.telling import facts_of

from agent_cli.telemetry.counters import Counters, Spent, ToolUse, count
from agent_cli.telemetry.facts import (
    Answered,
    Compacted,
    Completed,
    CompletionAttempted,
    CompletionRefused,
    Ending,
    Fact,
    Lost,
    Model,
    NudgeSent,
    SessionBegan,
    Stopped,
    Used,
    WorkBegan,
    WorkEnded,
)
from agent_cli.types.messages import StopReason
from agent_cli.types.outcomes import Code, Limit, Nudge, Outcome, Stop
from agent_cli.types.requests import Protocol
from agent_cli.types.usage import Usage

COST = Usage(10, 2, cost=0.5)
MODEL = Model("test", "model")
ANSWER = Answered(3 * 10**9, 10**9, MODEL, Protocol.NATIVE, StopReason.END, COST, 2)


@pytest.mark.parametrize(
    ("fact", "counted"),
    [
        (SessionBegan(1), {"sessions": 1}),
        (WorkBegan(1), {"prompts": 1}),
        (WorkBegan(1, subtask=True), {"subtasks": 1}),
        (WorkEnded(1, Ending.COMPLETED), {}),
        (
            ANSWER,
            {"responses": 1, "retries": 2, "usage": COST, "models": {MODEL: Spent(1, 2.0, COST)}},
        ),
        (Lost(1, COST), {"usage": COST}),
        (Compacted(1, COST), {"compactions": 1, "usage": COST}),
        (
            Used(2, None, "mcp", Protocol.XML, Outcome.DENIED, Code.POLICY),
            {"tools": {ToolUse("mcp", Outcome.DENIED, Protocol.XML): 1}},
        ),
        (CompletionAttempted(1), {"attempted": 1}),
        (CompletionRefused(1, Code.OPEN_TODOS), {"refused": {Code.OPEN_TODOS: 1}}),
        (Completed(1), {"completed": 1}),
        (NudgeSent(1, Nudge.EMPTY), {"nudges": {Nudge.EMPTY: 1}}),
        (Stopped(1, Stop.USER), {"stops": {Stop.USER: 1}}),
        (Stopped(1, Limit.COST), {"stops": {Limit.COST: 1}}),
    ],
    ids=lambda one: type(one).__name__ if not isinstance(one, dict) else "",
)
def test_what_a_fact_counts_for(fact: Fact, counted: dict[str, Any]):
    assert count(Counters(), [fact]) == Counters(**counted)


def test_counts_add_up():
    twice = count(count(Counters(), [ANSWER]), [ANSWER, ANSWER])
    assert twice.models == {MODEL: Spent(3, 6.0, COST + COST + COST)}
    assert twice.responses == 3


def test_a_session_with_one_of_everything():
    counters = count(Counters(), facts_of(SESSION))
    assert (counters.sessions, counters.prompts, counters.completed) == (1, 5, 2)
    assert sum(counters.tools.values()) == 7

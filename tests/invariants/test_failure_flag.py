"""I7: that a call did not succeed is forgotten when the model speaks again, and by nothing else."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from testbed.journals import journal_of
from testbed.loaded import entries, load
from testbed.story import BEGINNING, accepted, asked, call, completion, ran, settled, started

from agent_cli.engine.state import apply, fold
from agent_cli.engine.steps import Rules, Settle, next_step
from agent_cli.types.approval import ApprovalMode
from agent_cli.types.entries import (
    ApprovalSwitched,
    AttemptLost,
    BudgetStopped,
    CallFinished,
    Entry,
    FailuresWaived,
    FilesRestored,
    HistoryCompacted,
    Interrupted,
    ModelSwitched,
    ModeSwitched,
    Nudged,
    ParallelSwitched,
    RuleGranted,
    SessionRenamed,
    TaskFinished,
    TaskStarted,
    Todo,
    TodosUpdated,
    TurnRulesSet,
    UserSaid,
)
from agent_cli.types.errors import InvalidTransitionError
from agent_cli.types.messages import ToolResult
from agent_cli.types.outcomes import Code, Limit, Nudge, Outcome, Stop
from agent_cli.types.queued_input import InputQueued
from agent_cli.types.turn_rules import OnFailure, Scope, TurnRules
from agent_cli.types.usage import Usage
from agent_cli.types.user_commands import UserRan

SUBTASK: tuple[Entry, ...] = (
    *started("task"),
    TaskStarted("ask", "task", "do a part"),
    asked(completion("inner")),
    *accepted("inner"),
    TaskFinished("it is done"),
    CallFinished(ToolResult("task", Outcome.OK, Code.SUBTASK_COMPLETED, "it is done")),
)
MESSAGE = asked("a", call("task", "new_task"), "b", completion())
ENDS = [Outcome.FAILED, Outcome.DENIED, Outcome.UNKNOWN, Outcome.INTERRUPTED]
ANYTHING: list[tuple[Entry, ...]] = [
    SUBTASK,
    (settled("task", Outcome.FAILED),),
    ran("b"),
    (settled("b", Outcome.SKIPPED, Code.SUBTASK_STARTED),),
    (settled("done", Outcome.FAILED, Code.FAILED_EARLIER),),
    (settled("done", Outcome.INTERRUPTED, Code.KILLED),),
    (Interrupted(Stop.KILLED),),
    (Interrupted(Stop.USER),),
    (HistoryCompacted("what was said", 0, "user"),),
    (ModeSwitched("architect"),),
    (TodosUpdated((Todo("one", "pending"),)),),
    (TurnRulesSet(TurnRules(OnFailure.STOP, (), Scope.RESOLVED)),),
    (FailuresWaived(),),
    (FilesRestored((), "undo"),),
    (FilesRestored((), "rollback"),),
    (Nudged(Nudge.NO_TOOL),),
    (InputQueued("and this"), UserSaid("and this", queued=True)),
    (UserSaid("go on"),),
    (UserRan("ls", "a\n", 0),),
    (RuleGranted("read_file"),),
    (ApprovalSwitched(ApprovalMode.AUTO),),
    (ParallelSwitched(on=False),),
    (ModelSwitched("other/model"),),
    (SessionRenamed("a name"),),
    (BudgetStopped(Limit.TURNS),),
    (AttemptLost(Usage(1)),),
]
"""Whatever else can be recorded; what does not fit where it comes is left out."""


@pytest.mark.invariant("I7")
@given(st.sampled_from(ENDS), st.lists(st.sampled_from(ANYTHING), max_size=12))
def test_a_failure_is_forgotten_when_the_model_speaks_and_by_nothing_else(
    outcome: Outcome, told: list[tuple[Entry, ...]]
):
    failed = ran("a", outcome) if outcome is Outcome.FAILED else (settled("a", outcome),)
    story: list[Entry] = [*BEGINNING, MESSAGE, *failed]
    state = fold(story)
    for some in told:
        try:
            state = fold(some, state)
        except InvalidTransitionError:
            continue
        story += some
        assert state.task.blocked
    resumed = fold(entries(load(journal_of(story))))
    assert resumed == state
    if not state.task.open_calls and state.task.stop is None:
        assert not apply(state, asked("c")).task.blocked


@pytest.mark.invariant("I7", "I6")
def test_a_subtask_between_does_not_earn_the_completion():
    """Nor does what comes after it, although the subtask itself was completed."""
    state = fold([*BEGINNING, asked("a", call("task", "new_task"), completion())])
    state = fold([*ran("a", Outcome.FAILED), *SUBTASK], state)
    step = next_step(state, Rules())
    assert isinstance(step, Settle)
    assert step.outcome is not Outcome.OK
    with pytest.raises(InvalidTransitionError, match=r"after a failure|to be skipped"):
        fold(accepted(), state)

"""A call that another task answers: what is done when, and what contradicts itself."""

import pytest
from testbed.story import (
    Told,
    accepted,
    allowed,
    asked,
    call,
    completion,
    denied,
    ran,
    settled,
    started,
    story,
)

from agent_cli.engine.budget import SHARE, Budget
from agent_cli.engine.state import apply
from agent_cli.engine.steps import (
    MOST_BARREN,
    Awaiting,
    AwaitUser,
    CallModel,
    Finish,
    NudgeModel,
    ReturnToParent,
    Rules,
    Settle,
    Step,
    StopForBudget,
    next_step,
)
from agent_cli.engine.subtasks import MOST_SUBTASKS, MOST_TASKS, SUBTASK
from agent_cli.types.entries import (
    CallFinished,
    Entry,
    Interrupted,
    TaskFinished,
    TaskStarted,
    Todo,
    UserSaid,
)
from agent_cli.types.errors import InvalidTransitionError
from agent_cli.types.messages import ToolResult, UserMessage
from agent_cli.types.outcomes import Code, Limit, Nudge, Outcome, Stop

ALONE, WATCHED = Rules(), Rules(interactive=True)
PART = call("part", SUBTASK)
HANDED: list[Told] = [asked(PART, "after"), started("part")]
WORKING: list[Told] = [*HANDED, TaskStarted("ask", "part", "look it up", "it is Monday")]
DONE: list[Told] = [*WORKING, asked(completion()), accepted()]
OVER: list[Told] = [*DONE, TaskFinished("it is done")]
ANSWER = CallFinished(
    ToolResult("part", Outcome.OK, Code.SUBTASK_COMPLETED, "it is done"), seconds=1.5
)
BACK: list[Told] = [*OVER, ANSWER]
FAILING: list[Told] = [
    one
    for number in range(MOST_BARREN)
    for one in (asked(f"f{number}"), ran(f"f{number}", Outcome.FAILED))
]


def failed(why: Awaiting) -> ReturnToParent:
    return ReturnToParent("part", Outcome.FAILED, Code.SUBTASK_FAILED, awaiting=why)


STEPS: dict[str, tuple[list[Told], Rules, Step]] = {
    "the model is asked for the subtask": (WORKING, ALONE, CallModel()),
    "its completion ends it": (DONE, ALONE, Finish("it is done")),
    "its result goes to its parent": (
        OVER,
        ALONE,
        ReturnToParent("part", Outcome.OK, Code.SUBTASK_COMPLETED, "it is done"),
    ),
    "what came after it in the message is answered": (
        BACK,
        ALONE,
        Settle(call("after"), Outcome.SKIPPED, Code.SUBTASK_STARTED),
    ),
    "then the parent goes on": (
        [*BACK, settled("after", Outcome.SKIPPED, Code.SUBTASK_STARTED)],
        ALONE,
        CallModel(),
    ),
    "a person may help a subtask that stops": (
        [*WORKING, asked(text="what now?")],
        WATCHED,
        AwaitUser(Awaiting.FLOOR),
    ),
    "one that stops is nudged": ([*WORKING, asked(text="hm")], ALONE, NudgeModel(Nudge.NO_TOOL)),
    "one that is stuck fails alone": ([*WORKING, *FAILING], ALONE, failed(Awaiting.STUCK)),
    "one that is stuck waits for a person": (
        [*WORKING, *FAILING],
        WATCHED,
        AwaitUser(Awaiting.STUCK),
    ),
    "an interrupted one waits": (
        [*WORKING, Interrupted(Stop.USER)],
        ALONE,
        AwaitUser(Awaiting.INTERRUPTED),
    ),
    "one that has used up its share fails": (
        [*WORKING, asked("a"), ran("a")],
        Rules(budget=Budget(turns=3)),
        failed(Awaiting.LIMIT),
    ),
    "the whole budget stops everything": (
        [*WORKING, asked("a"), ran("a")],
        Rules(budget=Budget(turns=2)),
        StopForBudget(Limit.TURNS),
    ),
    "half of what is left is its share": (
        [*WORKING, asked("a"), ran("a")],
        Rules(budget=Budget(turns=4)),
        CallModel(),
    ),
}


@pytest.mark.parametrize(("told", "rules", "step"), STEPS.values(), ids=STEPS)
def test_next(told: list[Told], rules: Rules, step: Step):
    assert next_step(story(*told), rules) == step


def test_the_share_is_what_the_table_takes_it_for():
    assert SHARE == 0.5


def test_a_subtask_has_a_history_and_todos_of_its_own():
    todos = (Todo("look", "pending"),)
    state = story(*HANDED, TaskStarted("ask", "part", "look it up", "it is Monday", todos))
    parent, child = state.tasks
    assert (child.mode, child.todos, child.said) == ("ask", todos, ("look it up",))
    assert child.messages == (UserMessage("look it up\n\nit is Monday"),)
    assert (parent.mode, parent.todos, parent.subtasks) == ("code", (), 1)
    assert [one.id for one in parent.open_calls] == ["part", "after"]


@pytest.mark.invariant("I13")
def test_the_parent_goes_on_as_it_was_with_one_result():
    state = story(*BACK)
    assert len(state.tasks) == 1
    assert state.task.messages[-1] == ANSWER.result
    assert (state.task.mode, state.task.blocked, state.used.seconds) == ("code", False, 1.5)
    assert state.turns == 2


def test_what_a_subtask_was_denied_its_parent_answers_for():
    refused: list[Told] = [asked("x"), denied("x", "secret")]
    state = story(*WORKING, *refused, asked(completion()), accepted())
    state = apply(apply(state, TaskFinished("it is done")), ANSWER)
    assert state.task.denials == (("read_file", "secret"),)


def test_a_failed_subtask_blocks_a_completion_in_the_message_that_started_it():
    given_up = settled("part", Outcome.FAILED, Code.SUBTASK_CANCELLED)
    state = story(*WORKING, given_up)
    assert (state.task.blocked, state.task.skipping) == (True, Code.SUBTASK_STARTED)


@pytest.mark.invariant("I13")
def test_subtasks_are_not_stacked_without_end():
    told: list[Told] = []
    for depth in range(1, MOST_TASKS):
        one = call(f"p{depth}", SUBTASK)
        told += [asked(one), started(one.id), TaskStarted("ask", one.id, "go on")]
    last = call("last", SUBTASK)
    told.append(asked(last))
    step = next_step(story(*told), ALONE)
    assert step == Settle(last, Outcome.FAILED, Code.TOO_MANY_SUBTASKS)


@pytest.mark.invariant("I13")
def test_one_task_does_not_start_subtasks_without_end():
    told: list[Told] = []
    for number in range(MOST_SUBTASKS + 1):
        one = call(f"p{number}", SUBTASK)
        told += [asked(one)]
        if number < MOST_SUBTASKS:
            told += [started(one.id), TaskStarted("ask", one.id, "go on")]
            told += [settled(one.id, Outcome.FAILED, Code.SUBTASK_FAILED)]
    step = next_step(story(*told), ALONE)
    assert step == Settle(call("p50", SUBTASK), Outcome.FAILED, Code.TOO_MANY_SUBTASKS)


ILLEGAL: dict[str, tuple[list[Told], Entry]] = {
    "a subtask of a call that does not run": ([asked(PART)], TaskStarted("ask", "part", "do")),
    "a subtask of another call": (HANDED, TaskStarted("ask", "after", "do")),
    "a subtask that is told nothing": (HANDED, TaskStarted("ask", "part", " ")),
    "a result before the subtask is over": (WORKING, ANSWER),
    "a failure of one that completed": (
        OVER,
        settled("part", Outcome.FAILED, Code.SUBTASK_FAILED),
    ),
    "a result that does not tell of the subtask": (
        OVER,
        settled("part", Outcome.OK),
    ),
    "a result while calls of the subtask are open": (
        [*WORKING, asked("a")],
        settled("part", Outcome.FAILED, Code.SUBTASK_CANCELLED),
    ),
    "a second result": (BACK, ANSWER),
    "the parent's next call while the subtask works": (WORKING, allowed("after")),
}


@pytest.mark.parametrize(("told", "entry"), ILLEGAL.values(), ids=ILLEGAL)
def test_it_is_refused(told: list[Told], entry: Entry):
    state = story(*told)
    with pytest.raises(InvalidTransitionError):
        apply(state, entry)


def test_what_the_user_says_goes_to_the_task_that_runs():
    state = story(*WORKING, Interrupted(Stop.USER), UserSaid("look there"))
    assert state.tasks[1].said == ("look it up", "look there")
    assert state.tasks[0].said == ("do it",)
    assert next_step(state, ALONE) == CallModel()


def test_a_subtask_can_hand_on_work_itself():
    inner = call("inner", SUBTASK)
    told = [*WORKING, asked(inner), started("inner"), TaskStarted("code", "inner", "do it")]
    told += [asked(completion("d1")), accepted("d1"), TaskFinished("it is done")]
    state = story(*told)
    answer = settled("inner", Outcome.OK, Code.SUBTASK_COMPLETED)
    state = apply(state, answer)
    assert [task.mode for task in state.tasks] == ["code", "ask"]
    assert next_step(state, ALONE) == CallModel()

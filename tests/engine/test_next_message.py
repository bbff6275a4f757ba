"""What is done next when no call is open: ask the model, nudge it, or give the user the floor."""

import pytest
from testbed.story import (
    SESSION,
    Told,
    accepted,
    asked,
    call,
    completion,
    cut_off,
    denied,
    ran,
    settled,
    story,
)

from agent_cli.engine.budget import Budget
from agent_cli.engine.state import fold
from agent_cli.engine.steps import (
    MOST_BARREN,
    REPEATS_UNTIL_ASKED,
    Awaiting,
    AwaitUser,
    CallModel,
    Dispatch,
    Finish,
    NudgeModel,
    Rules,
    Step,
    StopForBudget,
    next_step,
)
from agent_cli.types.entries import AssistantSaid, BudgetStopped, Nudged, TaskStarted, UserSaid
from agent_cli.types.messages import AssistantMessage, StopReason, ToolCall
from agent_cli.types.outcomes import Code, Limit, Nudge, Outcome

ALONE = Rules()
WATCHED = Rules(interactive=True)
SHORT = AwaitUser(Awaiting.STOPPED_SHORT)
FLOOR = AwaitUser(Awaiting.FLOOR)


def nudged(code: Nudge = Nudge.NO_TOOL) -> Nudged:
    return Nudged(code)


TEXT = asked(text="done, I think")
EMPTY = asked(text=" \n")
CUT = cut_off("and then")
USED: list[Told] = [asked("a"), ran("a")]


def led_nowhere(name: str) -> list[Told]:
    """A message with nothing but a call that was cut off."""
    return [asked(call(name, complete=False)), settled(name, Outcome.FAILED, Code.CUT_OFF)]


ROWS: dict[str, tuple[list[Told], Rules, Step]] = {
    "the model after the user's words": ([], ALONE, CallModel()),
    "a nudge after text alone": ([TEXT], ALONE, NudgeModel(Nudge.NO_TOOL)),
    "the model after a nudge": ([TEXT, nudged()], ALONE, CallModel()),
    "one nudge if no tool was ever used": ([TEXT, nudged(), TEXT], ALONE, SHORT),
    "a nudge after text that follows tools": ([*USED, TEXT], ALONE, NudgeModel(Nudge.NO_TOOL)),
    "a second nudge if a tool was used": (
        [*USED, TEXT, nudged(), TEXT],
        ALONE,
        NudgeModel(Nudge.NO_TOOL),
    ),
    "no third nudge": ([*USED, TEXT, nudged(), TEXT, nudged(), TEXT], ALONE, SHORT),
    "nudges count anew after a call": (
        [*USED, TEXT, nudged(), TEXT, nudged(), asked("b"), ran("b"), TEXT],
        ALONE,
        NudgeModel(Nudge.NO_TOOL),
    ),
    "nudges count anew after the user's words": (
        [TEXT, nudged(), TEXT, UserSaid("go on"), TEXT],
        ALONE,
        NudgeModel(Nudge.NO_TOOL),
    ),
    "a denied call is no use of a tool": (
        [asked("a"), denied("a"), TEXT, nudged(), TEXT],
        ALONE,
        SHORT,
    ),
    "a nudge after an empty message": ([EMPTY], ALONE, NudgeModel(Nudge.EMPTY)),
    "a nudge after a message that was cut off": ([CUT], ALONE, NudgeModel(Nudge.CUT_OFF)),
    # with a user in front of it
    "the floor after text": ([TEXT], WATCHED, FLOOR),
    "the floor after text that follows tools": ([*USED, TEXT], WATCHED, FLOOR),
    "a nudge after an empty message, watched": ([EMPTY], WATCHED, NudgeModel(Nudge.EMPTY)),
    "a nudge after a cut-off text, watched": ([CUT], WATCHED, NudgeModel(Nudge.CUT_OFF)),
    "no end of nudges is waited for": (
        [EMPTY, nudged(Nudge.EMPTY), EMPTY],
        WATCHED,
        SHORT,
    ),
    # calls that were cut off
    "the model after a cut-off call": (led_nowhere("a"), ALONE, CallModel()),
    "the model after two messages of cut-off calls": (
        [*led_nowhere("a"), *led_nowhere("b")],
        ALONE,
        CallModel(),
    ),
    "the user after three messages of cut-off calls": (
        [*led_nowhere("a"), *led_nowhere("b"), *led_nowhere("c")],
        ALONE,
        SHORT,
    ),
    "cut-off calls count with nudges": (
        [*USED, TEXT, nudged(), *led_nowhere("b"), TEXT],
        ALONE,
        SHORT,
    ),
    "a whole call beside a cut-off one leads somewhere": (
        [
            *led_nowhere("b"),
            *led_nowhere("c"),
            asked("d", call("e", complete=False)),
            ran("d"),
            settled("e", Outcome.FAILED, Code.CUT_OFF),
        ],
        ALONE,
        CallModel(),
    ),
}


@pytest.mark.parametrize(("told", "rules", "expected"), ROWS.values(), ids=ROWS)
def test_the_next_step_is(told: list[Told], rules: Rules, expected: Step):
    assert next_step(story(*told), rules) == expected


def test_a_task_in_which_nobody_spoke_waits_for_the_user():
    assert next_step(fold([SESSION, TaskStarted("code")]), ALONE) == AwaitUser(Awaiting.FIRST)


def failures(count: int) -> list[Told]:
    return [told for n in range(count) for told in (asked(f"f{n}"), denied(f"f{n}"))]


@pytest.mark.parametrize(
    ("told", "expected"),
    [
        (failures(MOST_BARREN - 1), CallModel()),
        (failures(MOST_BARREN), AwaitUser(Awaiting.STUCK)),
        ([*failures(MOST_BARREN), UserSaid("try again")], CallModel()),
        ([*failures(MOST_BARREN - 1), asked("a"), ran("a"), asked("b"), denied("b")], CallModel()),
        ([*failures(MOST_BARREN - 1), asked("a", "b"), ran("a"), denied("b")], CallModel()),
        ([*failures(MOST_BARREN - 1), TEXT, nudged(), TEXT], SHORT),
        ([*failures(MOST_BARREN - 1), TEXT, nudged()], CallModel()),
        ([asked("a"), ran("a"), *failures(MOST_BARREN - 1)], CallModel()),
    ],
    ids=[
        "not yet",
        "a person has to look",
        "words of the user",
        "a success between",
        "a success in the same message",
        "text is neither",
        "text does not count",
        "counted from the success on",
    ],
)
def test_messages_whose_calls_all_fail_end_with_a_person(told: list[Told], expected: Step):
    assert next_step(story(*told), ALONE) == expected


def refusals(count: int) -> list[Told]:
    return [told for n in range(count) for told in refusal(str(n))]


def refusal(n: str) -> list[Told]:
    """Read something, fail at something, complete, and go on as if nothing had been said."""
    return [
        asked(f"a{n}", f"b{n}", completion(f"c{n}"), f"d{n}"),
        ran(f"a{n}", content=n),
        ran(f"b{n}", Outcome.FAILED),
        settled(f"c{n}", Outcome.FAILED, Code.FAILED_EARLIER),
        settled(f"d{n}", Outcome.SKIPPED, Code.FAILED_EARLIER),
    ]


@pytest.mark.parametrize(
    ("told", "expected"),
    [
        (refusals(MOST_BARREN - 1), CallModel()),
        (refusals(MOST_BARREN), AwaitUser(Awaiting.STUCK)),
        ([*refusals(MOST_BARREN), UserSaid("try again")], CallModel()),
        ([*refusal("y"), UserSaid("go on"), *refusals(MOST_BARREN - 1)], CallModel()),
        ([*refusals(MOST_BARREN - 1), asked("x"), ran("x"), *refusal("y")], CallModel()),
        ([*refusals(MOST_BARREN - 1), asked(completion()), accepted()], Finish("it is done")),
    ],
    ids=[
        "not yet",
        "a person has to look",
        "words of the user",
        "counted from the user's words on",
        "a message without one between",
        "a completion that is earned",
    ],
)
def test_completions_that_are_all_refused_end_with_a_person(told: list[Told], expected: Step):
    assert next_step(story(*told), ALONE) == expected


@pytest.mark.invariant("I14")
@pytest.mark.parametrize(
    ("told", "rules", "expected"),
    [
        (USED, Rules(budget=Budget(turns=2)), CallModel()),
        (USED, Rules(budget=Budget(turns=1)), StopForBudget(Limit.TURNS)),
        ([], Rules(budget=Budget(turns=0)), StopForBudget(Limit.TURNS)),
        ([asked("a", cost=0.5), ran("a")], Rules(budget=Budget(cost=0.51)), CallModel()),
        (
            [asked("a", cost=0.5), ran("a")],
            Rules(budget=Budget(cost=0.5)),
            StopForBudget(Limit.COST),
        ),
        (USED, Rules(budget=Budget(cost=0.01)), CallModel()),
        ([asked("a", cost=9)], Rules(budget=Budget(turns=1, cost=1.0)), Dispatch(call("a"))),
        ([*USED, BudgetStopped(Limit.TURNS)], ALONE, AwaitUser(Awaiting.LIMIT)),
        ([*USED, BudgetStopped(Limit.TURNS), UserSaid("go on")], ALONE, CallModel()),
    ],
    ids=[
        "turns left",
        "no turns left",
        "no turns at all",
        "money left",
        "no money left",
        "an unknown price costs nothing",
        "calls made are answered first",
        "the user hears of it",
        "the user goes on",
    ],
)
def test_a_budget_stops_before_the_next_request(told: list[Told], rules: Rules, expected: Step):
    assert next_step(story(*told), rules) == expected


def same(call_id: str, arguments: str = "{}", name: str = "read_file") -> ToolCall:
    return ToolCall(call_id, name, arguments)


def again(count: int, content: str = "same") -> list[Told]:
    return [
        told for n in range(count) for told in (asked(same(f"r{n}")), ran(f"r{n}", content=content))
    ]


@pytest.mark.trap("T-41")
@pytest.mark.parametrize(
    ("told", "last", "repeats"),
    [
        ([], same("x"), 0),
        (again(1), same("x"), 1),
        (again(REPEATS_UNTIL_ASKED), same("x"), REPEATS_UNTIL_ASKED),
        (again(2), same("x", '{"a":1}'), 0),
        (again(2), same("x", "{}", "list_files"), 0),
        ([*again(2), asked(same("y")), ran("y", content="other")], same("x"), 1),
        ([*again(2), asked(same("y")), ran("y", Outcome.FAILED, content="same")], same("x"), 1),
        ([*again(2), asked(same("y")), denied("y")], same("x"), 2),
        ([*again(2), asked("y"), ran("y")], same("x"), 0),
        ([*again(2), asked("y"), denied("y")], same("x"), 2),
    ],
    ids=[
        "first",
        "second",
        "as often as is asked about",
        "other arguments",
        "another tool",
        "another result",
        "another outcome",
        "a call that did not run",
        "another call between",
        "another call between that did not run",
    ],
)
def test_repeats_are_the_same_call_with_the_same_result(
    told: list[Told], last: ToolCall, repeats: int
):
    state = story(*told, asked(last))
    assert next_step(state, ALONE) == Dispatch(last, repeats)


def test_a_refusal_of_a_model_is_answered_like_text():
    refusal = AssistantMessage((), StopReason.REFUSAL)
    assert next_step(story(AssistantSaid(refusal)), WATCHED) == NudgeModel(Nudge.EMPTY)

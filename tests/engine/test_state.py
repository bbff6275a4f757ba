"""What the state takes up from entries, and what it refuses."""

import pytest
from testbed.story import (
    BEGINNING,
    SESSION,
    Told,
    accepted,
    allowed,
    asked,
    call,
    completion,
    denied,
    entries_of,
    ran,
    settled,
    started,
    story,
)

from agent_cli.engine.state import apply, fold
from agent_cli.engine.task import State
from agent_cli.types.approval import ApprovalMode, Verdict
from agent_cli.types.entries import (
    ApprovalSwitched,
    AssistantSaid,
    BudgetStopped,
    CallFinished,
    CallStarted,
    Entry,
    Interrupted,
    ModeSwitched,
    Nudged,
    ParallelSwitched,
    RuleGranted,
    SessionStarted,
    TaskFinished,
    TaskStarted,
    Todo,
    TodosUpdated,
    UserSaid,
    VerdictGiven,
)
from agent_cli.types.errors import InvalidTransitionError
from agent_cli.types.messages import (
    AssistantMessage,
    Image,
    NudgeMessage,
    ToolResult,
    UserMessage,
)
from agent_cli.types.outcomes import Code, Limit, Nudge, Outcome, Stop
from agent_cli.types.requests import Protocol
from agent_cli.types.usage import Usage

OK = ToolResult("a", Outcome.OK)
COMPLETES = CallFinished(ToolResult("done", Outcome.OK, Code.FINISHED), completion="it is done")
OPEN: list[Told] = [asked("a", "b")]
OVER: list[Told] = [asked(completion()), accepted(), TaskFinished("it is done")]
STOPPED: list[Told] = [Interrupted(Stop.USER)]


def said_ahead(call_id: str, *, yes: bool = True) -> VerdictGiven:
    return VerdictGiven(call_id, Verdict(approved=yes), "shown")


ILLEGAL: dict[str, tuple[list[Told], Entry]] = {
    "a second session": ([], SESSION),
    "a second task": ([], TaskStarted("code")),
    # the user
    "a user who says nothing": ([], UserSaid(" ", environment="\n")),
    "words of the user while calls are open": (OPEN, UserSaid("wait")),
    "words of the user before the end": ([asked(completion()), accepted()], UserSaid("more")),
    # the model
    "words of the model while calls are open": (OPEN, asked(text="well")),
    "words of the model after the end": (OVER, asked(text="well")),
    "words of the model before the end is recorded": (
        [asked(completion()), accepted()],
        asked(text="well"),
    ),
    "words of the model after an interruption": (STOPPED, asked(text="well")),
    "a call id twice in a message": ([], asked("a", "a")),
    "a call id of an earlier message": ([asked("a"), ran("a")], asked("b", "a")),
    "a nudge while calls are open": (OPEN, Nudged(Nudge.NO_TOOL)),
    # results
    "a result without a call": ([], settled("a", Outcome.FAILED)),
    "a result of an unknown call": (OPEN, settled("x", Outcome.FAILED)),
    "a result of the second call first": (OPEN, settled("b", Outcome.FAILED)),
    "a second result": ([*OPEN, ran("a")], settled("a", Outcome.FAILED)),
    "a success that never started": (OPEN, CallFinished(OK)),
    "a success that was only allowed": ([*OPEN, allowed("a")], CallFinished(OK)),
    # starts
    "a decision on the second call first": (OPEN, allowed("b")),
    "a decision after the start": ([*OPEN, started("a")], allowed("a")),
    "a start of the second call first": (OPEN, CallStarted("b")),
    "a start without a decision": (OPEN, CallStarted("a")),
    "a start with the decision on another call": (
        [*OPEN, allowed("a"), settled("a", Outcome.FAILED)],
        CallStarted("b"),
    ),
    "a start of a denied call": ([*OPEN, denied("a")[0]], CallStarted("a")),
    "a start of a call that was rejected ahead": (
        [*OPEN, said_ahead("b", yes=False), ran("a"), allowed("b")],
        CallStarted("b"),
    ),
    # verdicts ahead
    "a verdict ahead of the call that is due": (OPEN, said_ahead("a")),
    "a verdict ahead of no call": (OPEN, said_ahead("x")),
    "a verdict ahead of a call that is over": ([*OPEN, ran("a"), ran("b")], said_ahead("b")),
    "a second verdict ahead": ([*OPEN, said_ahead("b")], said_ahead("b", yes=False)),
    "a second start": ([*OPEN, started("a")], CallStarted("a")),
    "a start after a rejection": (
        [*OPEN, settled("a", Outcome.REJECTED), allowed("b")],
        CallStarted("b"),
    ),
    "a start after an accepted completion": (
        [asked(completion(), "b"), accepted(), allowed("b")],
        CallStarted("b"),
    ),
    # the end
    "a completion without a result": (
        [asked(completion()), started("done")],
        CallFinished(ToolResult("done", Outcome.OK, Code.FINISHED)),
    ),
    "a result without a completion": (
        [asked(completion()), started("done")],
        CallFinished(ToolResult("done", Outcome.OK), completion="it is done"),
    ),
    "a completion that failed": (
        [asked(completion()), started("done")],
        CallFinished(ToolResult("done", Outcome.FAILED, Code.FINISHED), completion="it is done"),
    ),
    "a completion after a failure in its message": (
        [asked("a", completion()), ran("a", Outcome.FAILED), started("done")],
        COMPLETES,
    ),
    "an end without a completion": ([], TaskFinished("it is done")),
    "an end with another result": ([asked(completion()), accepted()], TaskFinished("it is not")),
    "an end while calls are open": (
        [asked(completion(), "b"), accepted()],
        TaskFinished("it is done"),
    ),
    "a second end": (OVER, TaskFinished("it is done")),
}


@pytest.mark.invariant("I1", "I4", "I6")
@pytest.mark.trap("T-10", "T-12", "T-13", "T-14")
@pytest.mark.parametrize(("told", "entry"), ILLEGAL.values(), ids=ILLEGAL)
def test_what_contradicts_the_state_is_refused_and_changes_nothing(told: list[Told], entry: Entry):
    state = story(*told)
    with pytest.raises(InvalidTransitionError):
        apply(state, entry)
    assert state == story(*told)


@pytest.mark.parametrize(
    ("entries", "entry"),
    [
        ([], TaskStarted("code")),
        ([SESSION], UserSaid("do it")),
        ([SESSION], asked("a")),
        ([SESSION], CallStarted("a")),
        ([SESSION], Interrupted(Stop.KILLED)),
        ([SESSION, TaskStarted("code")], asked("a")),
    ],
    ids=["task", "user", "model", "call", "interruption", "model before anybody"],
)
def test_nothing_happens_before_its_time(entries: list[Entry], entry: Entry):
    with pytest.raises(InvalidTransitionError):
        apply(fold(entries), entry)


def test_what_is_no_entry_is_refused():
    with pytest.raises(InvalidTransitionError, match="unexpected entry"):
        apply(story(), Usage())  # type: ignore[arg-type]


def test_a_fold_may_go_on_from_a_state():
    rest = entries_of([asked("a"), ran("a"), *OVER])
    assert fold(rest, story()) == fold([*BEGINNING, *rest])


def test_the_conversation_is_kept_in_order():
    image = Image("image/png", "AA==")
    said = asked("a", text="let me see")
    state = story(
        said,
        ran("a", content="seen"),
        asked(text="well"),
        Nudged(Nudge.NO_TOOL),
        UserSaid("go on", (image,), "it is Monday"),
    )
    assert state.task.messages == (
        UserMessage("do it"),
        said.message,
        ToolResult("a", Outcome.OK, None, "seen"),
        AssistantMessage(asked(text="well").message.blocks),
        NudgeMessage(Nudge.NO_TOOL),
        UserMessage("go on\n\nit is Monday", (image,)),
    )


def test_open_calls_lose_one_with_every_result():
    told: list[Told] = [asked("a", "b")]
    assert story(*told).task.open_calls == (call("a"), call("b"))
    assert story(*told, ran("a")).task.open_calls == (call("b"),)
    assert story(*told, ran("a"), settled("b", Outcome.SKIPPED)).task.open_calls == ()


def test_the_session_counts_what_it_spent():
    one = AssistantSaid(AssistantMessage((), usage=Usage(10, 5, cost=0.25)))
    two = AssistantSaid(AssistantMessage((), usage=Usage(20, 5, 3, estimated=True)))
    state = story(one, two)
    assert state.spent == Usage(30, 10, 3, cost=0.25, estimated=True)
    assert state.turns == 2


def test_what_tools_and_user_change_is_taken_up():
    todos = (Todo("look", "pending"),)
    state = story(TodosUpdated(todos), ModeSwitched("ask"), RuleGranted("read_file"))
    state = fold([RuleGranted("list_files"), BudgetStopped(Limit.COST)], state)
    assert (state.task.todos, state.task.mode) == (todos, "ask")
    assert state.granted == ("read_file", "list_files")
    assert state.task.limit is Limit.COST


@pytest.mark.parametrize("parallel", [True, False])
def test_the_session_says_whether_calls_come_in_parallel(*, parallel: bool):
    session = SessionStarted(1, "s", "/work", "m", Protocol.NATIVE, parallel)
    assert fold([session]).parallel is parallel
    assert fold([session, ParallelSwitched(not parallel)]).parallel is not parallel


def test_what_is_said_ahead_holds_until_its_call_or_its_message_is_over():
    ahead = said_ahead("b")
    assert story(*OPEN, ahead).task.verdicts == (ahead,)
    assert story(*OPEN, ahead, ran("a")).task.verdicts == (ahead,)
    assert story(*OPEN, ahead, ran("a"), ran("b")).task.verdicts == ()
    stopped = [*OPEN, ahead, Interrupted(Stop.KILLED)]
    ends = [settled(one, Outcome.INTERRUPTED, Code.KILLED) for one in "ab"]
    assert story(*stopped, *ends).task.verdicts == ()


def test_the_approval_mode_is_the_last_one_and_that_there_was_a_plan_is_remembered():
    modes = [ApprovalMode.ACCEPT_EDITS, ApprovalMode.PLAN, ApprovalMode.AUTO]
    seen = [fold(map(ApprovalSwitched, modes[:count])) for count in range(4)]
    assert [state.approval for state in seen] == [ApprovalMode.ASK, *modes]
    assert [state.planned for state in seen] == [False, False, True, True]


def test_the_end_keeps_its_result_until_the_user_goes_on():
    assert story(*OVER).task.result == "it is done"
    assert story(*OVER, UserSaid("more")).task.result is None


def test_denials_are_listed_once_and_made_good_by_target():
    state = story(asked("a"), denied("a", "y", "x"), asked("b"), denied("b", "x"))
    assert state.task.denials == (("read_file", "x"), ("read_file", "y"))
    state = fold(entries_of([asked("c"), started("c", "x")]), state)
    state = apply(state, CallFinished(ToolResult("c", Outcome.OK)))
    assert state.task.denials == (("read_file", "y"),)


def test_a_denial_without_a_target_is_of_the_tool():
    told: list[Told] = [asked("a"), settled("a", Outcome.DENIED, Code.NOBODY_TO_ASK)]
    assert story(*told).task.denials == (("read_file", ""),)
    assert story(*told, asked("b"), ran("b")).task.denials == ()


def test_an_empty_session_has_no_task():
    with pytest.raises(InvalidTransitionError, match="no task has started"):
        _ = State().task

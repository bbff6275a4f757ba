"""What the entries of a session say, fact by fact."""

from typing import Any

import pytest
from testbed.story import (
    BEGINNING,
    SESSION,
    accepted,
    asked,
    call,
    completion,
    entries_of,
    ran,
    settled,
    started,
)
from testbed.telling import SECOND, WORDS, facts_of

from agent_cli.telemetry.facts import (
    Answered,
    Compacted,
    Completed,
    CompletionAttempted,
    CompletionRefused,
    Ending,
    Lost,
    Model,
    NudgeSent,
    SessionBegan,
    Stopped,
    Used,
    WorkBegan,
    WorkEnded,
)
from agent_cli.telemetry.reader import Reader, opened, read
from agent_cli.types.entries import (
    AssistantSaid,
    AttemptLost,
    BudgetStopped,
    Entry,
    HistoryCompacted,
    Interrupted,
    ModeSwitched,
    Nudged,
    TaskFinished,
    TaskStarted,
    UserSaid,
)
from agent_cli.types.events import SessionOpened
from agent_cli.types.messages import AssistantMessage
from agent_cli.types.outcomes import Code, Limit, Nudge, Outcome, Stop
from agent_cli.types.requests import Protocol
from agent_cli.types.usage import Usage

NEW_TASK = call("sub", "new_task")
KINDS = (SessionBegan, WorkBegan, WorkEnded)
"""Facts that every story has."""


def told(*entries: Entry | tuple[Entry, ...]) -> list[Any]:
    """What is told after the beginning, which took three seconds."""
    return facts_of([*BEGINNING, *entries_of(entries)])


def only(kind: type, *entries: Entry | tuple[Entry, ...]) -> list[Any]:
    return [fact for fact in told(*entries) if isinstance(fact, kind)]


def test_a_task_from_the_prompt_to_its_completion():
    facts = told(asked("a", completion()), ran("a"), accepted(), TaskFinished("it is done"))
    model, native = Model("test", "model"), Protocol.NATIVE
    assert facts == [
        SessionBegan(1 * SECOND),
        WorkBegan(3 * SECOND, model=model),
        Answered(4 * SECOND, 3 * SECOND, model, native, facts[2].stop, Usage()),
        Used(7 * SECOND, 6 * SECOND, "read_file", native, Outcome.OK, None),
        CompletionAttempted(9 * SECOND),
        Used(10 * SECOND, 9 * SECOND, "attempt_completion", native, Outcome.OK, Code.FINISHED),
        Completed(10 * SECOND),
        WorkEnded(11 * SECOND, Ending.COMPLETED),
    ]


@pytest.mark.parametrize(
    ("end", "attempted", "refused"),
    [
        pytest.param(settled("done", Outcome.FAILED, Code.FAILED_EARLIER), 0, 1, id="guard"),
        pytest.param(settled("done", Outcome.FAILED, Code.OPEN_TODOS), 0, 1, id="open todos"),
        pytest.param(ran("done", Outcome.FAILED, Code.CHECK_FAILED), 1, 1, id="check"),
        pytest.param(ran("done", Outcome.FAILED, Code.HOOK), 1, 1, id="hook"),
        pytest.param(ran("done", Outcome.OK, Code.FEEDBACK), 1, 0, id="feedback"),
        pytest.param(ran("done", Outcome.FAILED), 1, 0, id="its command failed"),
        pytest.param(settled("done", Outcome.FAILED, Code.CUT_OFF), 0, 0, id="cut off"),
        pytest.param(settled("done", Outcome.SKIPPED, Code.REJECTED_EARLIER), 0, 0, id="skipped"),
    ],
)
def test_a_completion_that_is_not_accepted(end: Any, attempted: int, refused: int):
    facts = told(asked(completion()), end)
    assert [type(fact) for fact in facts].count(CompletionAttempted) == attempted
    assert [type(fact) for fact in facts].count(CompletionRefused) == refused
    assert not any(isinstance(fact, Completed) for fact in facts)


def test_the_guard_stands_only_against_completions():
    assert not only(CompletionRefused, asked("a"), settled("a", Outcome.FAILED, Code.HOOK))


def test_a_call_that_did_not_run_has_no_beginning():
    (used,) = only(Used, asked("a"), settled("a", Outcome.DENIED, Code.POLICY))
    assert (used.began, used.outcome, used.code) == (None, Outcome.DENIED, Code.POLICY)


def test_time_and_retries_of_a_response_are_the_recorded_ones():
    (answered,) = only(Answered, AssistantSaid(AssistantMessage(()), seconds=0.5, retries=2))
    assert (answered.at - answered.began, answered.retries) == (SECOND // 2, 2)


@pytest.mark.parametrize(
    ("entry", "fact"),
    [
        (AttemptLost(Usage(1)), Lost(4 * SECOND, Usage(1))),
        (HistoryCompacted("x", 0, "user", usage=Usage(2)), Compacted(4 * SECOND, Usage(2))),
        (Nudged(Nudge.EMPTY), NudgeSent(4 * SECOND, Nudge.EMPTY)),
        (Interrupted(Stop.USER, "by me"), Stopped(4 * SECOND, Stop.USER)),
        (BudgetStopped(Limit.COST), Stopped(4 * SECOND, Limit.COST)),
    ],
)
def test_entries_that_are_one_fact(entry: Entry, fact: object):
    assert [one for one in told(entry) if not isinstance(one, KINDS)] == [fact]


def test_an_entry_without_meaning_here_changes_nothing_but_the_time():
    reader = Reader(WORDS, last=1)
    assert read(reader, 2, ModeSwitched("ask")) == (Reader(WORDS, last=2), ())


@pytest.mark.parametrize(
    ("last", "ending"),
    [
        ((asked(text="Which one?"),), Ending.HANDED_BACK),
        ((asked("a"), Interrupted(Stop.USER), settled("a", Outcome.INTERRUPTED)), "interrupted"),
        ((BudgetStopped(Limit.TURNS),), Ending.LIMIT),
    ],
    ids=["a question", "an interruption", "a limit"],
)
def test_work_ends_after_everything_that_belongs_to_it(last: tuple[Entry, ...], ending: str):
    at = (3 + len(last)) * SECOND
    facts = told(*last, UserSaid("go on"))
    assert facts[-3:] == [
        WorkEnded(at, Ending(ending)),
        WorkBegan(at + SECOND, model=Model("test", "model")),
        WorkEnded(at + SECOND, Ending.HANDED_BACK),
    ]


def test_a_subtask_lies_within_the_call_that_started_it():
    facts = told(
        asked(NEW_TASK),
        started("sub"),
        TaskStarted("code", parent_call_id="sub", message="do a part"),
        (asked("a", completion()), *ran("a"), *accepted(), TaskFinished("part")),
        settled("sub", Outcome.OK, Code.SUBTASK_COMPLETED),
        (asked(completion("all")), *accepted("all"), TaskFinished("all")),
    )
    work = [fact for fact in facts if isinstance(fact, WorkBegan | WorkEnded)]
    assert [getattr(fact, "subtask", None) for fact in work] == [False, True, None, None]
    used = [fact for fact in facts if isinstance(fact, Used)]
    names = ["read_file", "attempt_completion", "new_task", "attempt_completion"]
    assert [fact.tool for fact in used] == names
    assert used[2].began == 6 * SECOND
    assert facts.index(work[2]) < facts.index(used[2])


def test_a_subtask_without_an_end_ends_with_its_call():
    facts = told(
        asked(NEW_TASK),
        started("sub"),
        TaskStarted("code", parent_call_id="sub"),
        settled("sub", Outcome.FAILED, Code.SUBTASK_CANCELLED),
    )
    ends = [fact.how for fact in facts if isinstance(fact, WorkEnded)]
    assert ends == [Ending.INTERRUPTED, Ending.HANDED_BACK]
    assert isinstance(facts[-2], Used)


def test_a_session_that_is_gone_on_with_is_known_by_its_announcement():
    announced = SessionOpened(
        id="20261121-101112-0123abcd",
        cwd="/work",
        model="replay:FILE",
        protocol=Protocol.XML,
        parallel_tool_calls=True,
        mode="code",
        tools=(),
        resumed=True,
        open_calls=(call("a"),),
    )
    reader = opened(Reader(WORDS), announced)
    reader, (used,) = read(reader, SECOND, settled("a", Outcome.UNKNOWN, Code.KILLED))
    assert (used.tool, used.protocol) == ("read_file", Protocol.XML)
    reader, (began, answered) = read(reader, 2 * SECOND, asked("b"))
    assert began == WorkBegan(SECOND, "20261121-101112-0123abcd", Model("replay", "other"))
    assert answered.model == Model("replay", "other")


def test_the_end_of_a_task_that_began_elsewhere_is_no_fact():
    assert facts_of([SESSION, TaskFinished("x")]) == [SessionBegan(SECOND)]

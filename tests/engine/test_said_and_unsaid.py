"""What the user says while work goes on, and what they take back."""

import pytest
from testbed.story import BEGINNING, Told, accepted, asked, completion, ran, started, story

from agent_cli.engine.state import apply, fold
from agent_cli.engine.steps import (
    Awaiting,
    AwaitUser,
    CallModel,
    DeliverInput,
    Dispatch,
    Rules,
    Step,
    next_step,
)
from agent_cli.engine.subtasks import SUBTASK
from agent_cli.types.entries import (
    Entry,
    FilesChanged,
    HistoryCompacted,
    Interrupted,
    Rewound,
    TaskFinished,
    TaskStarted,
    UserSaid,
)
from agent_cli.types.errors import InvalidTransitionError
from agent_cli.types.evidence import FileChange, FileVersion
from agent_cli.types.messages import ToolCall
from agent_cli.types.outcomes import Stop
from agent_cli.types.queued_input import InputQueued, InputUnqueued
from agent_cli.types.user_commands import UserRan

MEANWHILE = InputQueued("use tabs")
DELIVERED = UserSaid("use tabs", queued=True)
OVER: list[Told] = [asked(completion()), accepted(), TaskFinished("it is done")]

STEPS: dict[str, tuple[list[Told], Step]] = {
    "calls go on before it is heard": (
        [asked("a", "b"), MEANWHILE, ran("a")],
        Dispatch(ToolCall("b", "read_file", '{"path":"b"}')),
    ),
    "it is heard between turns": (
        [asked("a"), MEANWHILE, ran("a")],
        DeliverInput("use tabs"),
    ),
    "then the model is asked": ([asked("a"), MEANWHILE, ran("a"), DELIVERED], CallModel()),
    "one after the other": (
        [MEANWHILE, InputQueued("no, blanks"), DELIVERED],
        DeliverInput("no, blanks"),
    ),
    "what was taken back is not heard": (
        [MEANWHILE, InputQueued("no, blanks"), InputUnqueued("no, blanks"), DELIVERED],
        CallModel(),
    ),
    "it goes on from a result": ([MEANWHILE, *OVER], DeliverInput("use tabs")),
    "it does not undo a stop": (
        [MEANWHILE, Interrupted(Stop.USER)],
        AwaitUser(Awaiting.INTERRUPTED),
    ),
}


@pytest.mark.invariant("I12")
@pytest.mark.parametrize(("told", "step"), STEPS.values(), ids=STEPS)
def test_next(told: list[Told], step: Step):
    assert next_step(story(*told), Rules()) == step


@pytest.mark.invariant("I10")
def test_words_taken_back_are_as_if_never_said():
    before = story(asked(text="well"))
    state = fold([UserSaid("more"), asked(text="hm"), UserSaid("and more")], before)
    back = apply(state, Rewound(1))
    assert back.tasks == before.tasks
    assert (back.messages_said, back.turns) == (1, 2)
    assert apply(back, UserSaid("other")).messages_said == 2


def test_what_can_be_taken_back_is_known_in_the_users_words():
    state = fold([UserSaid("more", environment="it is Monday")], story(asked(text="well")))
    assert state.unsayable == ("do it", "more")
    assert apply(state, Rewound(1)).unsayable == ("do it",)
    assert fold([asked(text="hm"), COMPACTED, UserSaid("on")], state).unsayable == ("on",)


def test_everything_can_be_taken_back():
    state = apply(story(asked(text="well")), Rewound(0))
    assert (state.task.messages, state.messages_said) == ((), 0)
    assert next_step(state, Rules()) == AwaitUser(Awaiting.FIRST)


@pytest.mark.invariant("I10")
def test_words_that_led_to_a_subtask_take_it_back():
    part = ToolCall("part", SUBTASK, "{}")
    told: list[Told] = [asked(part), started("part"), TaskStarted("ask", "part", "look")]
    state = apply(story(*told), Rewound(0))
    assert len(state.tasks) == 1


def test_what_was_done_to_files_is_not_unsaid():
    change = FileChange("a", None, FileVersion("0" * 64, 0o644))
    told: list[Told] = [asked("a"), started("a"), FilesChanged("a", (change,))]
    state = apply(story(*told, ran("a")[-1]), Rewound(0))
    assert state.task.evidence.changed == (change,)


RAN = UserRan("ls", "a\n", 0)


@pytest.mark.parametrize(
    ("told", "left"),
    [
        pytest.param([RAN], (RAN,), id="it waits for the next words"),
        pytest.param([RAN, UserSaid("so")], (), id="and goes along with them"),
        pytest.param([RAN, HistoryCompacted("what was said", 1, "user")], (RAN,), id="compacted"),
        pytest.param([RAN, UserSaid("so"), asked(text="hm"), Rewound(1)], (RAN,), id="unsaid"),
    ],
)
def test_what_the_user_has_run(told: list[Told], left: tuple[UserRan, ...]):
    state = story(asked(text="well"), *told)
    assert state.task.ran == left


def test_a_command_of_the_user_gives_nobody_the_floor():
    assert next_step(story(asked(text="well"), RAN), Rules(interactive=True)) == AwaitUser(
        Awaiting.FLOOR
    )


COMPACTED = HistoryCompacted("what was said", 1, "user")
ILLEGAL: dict[str, tuple[list[Told], Entry]] = {
    "nothing that is queued": ([], InputQueued(" ")),
    "queued words that were not": ([], DELIVERED),
    "back what was not queued": ([], InputUnqueued("use tabs")),
    "back what was delivered": ([MEANWHILE, DELIVERED], InputUnqueued("use tabs")),
    "queued words out of turn": ([InputQueued("first"), MEANWHILE], DELIVERED),
    "as many words back as there are": ([], Rewound(1)),
    "words back before the first": ([], Rewound(-1)),
    "a command of the user while calls are open": ([asked("a")], RAN),
    "words back while calls are open": ([asked("a")], Rewound(0)),
    "words back behind a compaction": ([asked(text="well"), COMPACTED], Rewound(0)),
}


@pytest.mark.parametrize(("told", "entry"), ILLEGAL.values(), ids=ILLEGAL)
def test_it_is_refused(told: list[Told], entry: Entry):
    state = fold(BEGINNING)
    for one in told:
        for single in one if isinstance(one, tuple) else (one,):
            state = apply(state, single)
    with pytest.raises(InvalidTransitionError):
        apply(state, entry)

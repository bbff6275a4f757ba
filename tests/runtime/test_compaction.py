"""When a conversation is compacted, and that it always comes to an end."""

import asyncio
from itertools import groupby
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from testbed.conversations import conversations
from testbed.scripted import Conversation, Scripted
from testbed.story import BEGINNING, asked, ran

from agent_cli.context.tokens import Window
from agent_cli.runtime.replacement import NOBODY_ANSWERS
from agent_cli.types.entries import AssistantSaid, Entry, HistoryCompacted, UserSaid
from agent_cli.types.errors import Fault, ProviderError
from agent_cli.types.messages import AssistantMessage, StopReason, Text
from agent_cli.types.usage import Usage

LONG = "many words " * 400


def work(*names: str) -> list[Entry]:
    """Turns with a long result each."""
    return [entry for name in names for entry in (asked(name), *ran(name, content=LONG + name))]


WORK: list[Entry] = [*BEGINNING, *work(*"abcdef")]
FULL = Window(7_500, 500)
"""With little less room than that work takes."""
GOOD = "<summary>short</summary>"


def after(answer: str | ProviderError = GOOD, window: Window | None = None) -> Conversation:
    return Conversation(WORK, Scripted(lambda _: answer), window)


def compactions(conversation: Conversation) -> list[HistoryCompacted]:
    return [entry for entry in conversation.entries if isinstance(entry, HistoryCompacted)]


def test_a_window_with_room_is_left_alone():
    conversation = after(window=Window(100_000))
    asyncio.run(conversation.compaction.if_full())
    assert compactions(conversation) == []


@pytest.mark.parametrize("window", [Window(), Window(6_000, automatic=False)])
def test_without_a_window_or_a_wish_nothing_happens(window: Window):
    conversation = after(window=window)
    asyncio.run(conversation.compaction.if_full())
    assert compactions(conversation) == []


def test_a_full_window_is_made_room_in():
    conversation = after(window=FULL)
    asyncio.run(conversation.compaction.if_full())
    (entry,) = compactions(conversation)
    assert (entry.by, entry.asked, entry.fell_back, entry.summary) == (
        "window",
        True,
        False,
        "short",
    )
    assert entry.kept == 2
    assert entry.tokens_after < entry.tokens_before / 2
    asyncio.run(conversation.compaction.if_full())
    assert len(compactions(conversation)) == 1


def test_where_the_summary_does_not_fit_it_is_not_asked_for():
    conversation = after(window=Window(4_000, 500))
    asyncio.run(conversation.compaction.if_full())
    (entry,) = compactions(conversation)
    assert (entry.asked, entry.summary) == (False, "")


@pytest.mark.parametrize("fault", sorted(NOBODY_ANSWERS))
def test_when_nobody_answers_nothing_is_replaced(fault: Fault):
    conversation = after(ProviderError("no", fault), FULL)
    with pytest.raises(ProviderError):
        asyncio.run(conversation.compaction.if_full())
    assert compactions(conversation) == []


@pytest.mark.parametrize("fault", [Fault.CONTEXT_WINDOW, Fault.INVALID_REQUEST, Fault.SERVER])
def test_a_refusal_leaves_what_was_recorded(fault: Fault):
    conversation = after(ProviderError("no", fault), FULL)
    asyncio.run(conversation.compaction.if_full())
    (entry,) = compactions(conversation)
    assert entry.fell_back


def test_an_earlier_summary_outlives_a_failure():
    answers = iter([GOOD, "", ""])
    conversation = Conversation(WORK, Scripted(lambda _: next(answers)), FULL)
    asyncio.run(conversation.compaction.if_full())
    for entry in work(*"uvwxyz"):
        conversation.session.append(entry)
    asyncio.run(conversation.compaction.if_full())
    first, second = compactions(conversation)
    assert (first.fell_back, second.fell_back) == (False, True)
    assert second.summary == "short"
    assert "as summarised by the model\n\nshort" in conversation.texts()


def test_the_user_gets_it_at_any_time_but_not_for_nothing():
    conversation = after()
    assert asyncio.run(conversation.compaction.asked("keep the names"))
    (entry,) = compactions(conversation)
    assert entry.by == "user"
    assert not asyncio.run(conversation.compaction.asked())


@pytest.mark.parametrize("entries", [BEGINNING[:2], BEGINNING, [*BEGINNING, asked("a")]])
def test_where_there_is_nothing_to_gain_the_user_is_told(entries: list[Entry]):
    conversation = Conversation(entries, Scripted(lambda _: GOOD))
    assert not asyncio.run(conversation.compaction.asked())
    assert compactions(conversation) == []


def test_the_users_hint_gets_to_the_model():
    provider = Scripted(lambda _: GOOD)
    conversation = Conversation(WORK, provider)
    asyncio.run(conversation.compaction.asked("keep the API names"))
    (request,) = provider.requests
    assert "keep the API names" in str(request.messages[-1])
    assert request.tools


@pytest.mark.parametrize("refusals", [1, 2])
def test_after_a_refusal_it_is_asked_once_more(refusals: int):
    left = iter([True] * refusals)

    def answer(request: Any) -> str | ProviderError:
        if "about to be replaced" in str(request.messages[-1]):
            return GOOD
        too_long = ProviderError("prompt is too long", Fault.CONTEXT_WINDOW)
        return too_long if next(left, False) else "well"

    conversation = Conversation(WORK, Scripted(answer))
    if refusals == 1:
        said = asyncio.run(conversation.compaction.answer())
        assert said.message.text == "well"
    else:
        with pytest.raises(ProviderError, match="takes in more") as raised:
            asyncio.run(conversation.compaction.answer())
        assert raised.value.fault is Fault.CONTEXT_WINDOW
    assert len(compactions(conversation)) == 1


@pytest.mark.parametrize("again", [False, True])
def test_other_refusals_are_passed_on(again: bool):  # noqa: FBT001 - a parameter
    faults = iter([Fault.CONTEXT_WINDOW, None, Fault.INVALID_REQUEST] if again else [Fault.SERVER])

    def answer(request: Any) -> str | ProviderError:
        fault = next(faults)
        return ProviderError("no", fault) if fault else GOOD

    conversation = Conversation(WORK, Scripted(answer))
    with pytest.raises(ProviderError) as raised:
        asyncio.run(conversation.compaction.answer())
    assert raised.value.fault is (Fault.INVALID_REQUEST if again else Fault.SERVER)


def test_what_cannot_fit_is_said_before_it_is_asked():
    words = UserSaid("all of it " * 4_000)
    usage = Usage(input_tokens=400)
    said = AssistantSaid(AssistantMessage((Text("well"),), StopReason.END, usage))
    entries: list[Entry] = [*BEGINNING, said, words]
    conversation = Conversation(entries, Scripted(lambda _: GOOD), Window(3_000, 500))
    with pytest.raises(ProviderError, match="takes in more"):
        asyncio.run(conversation.compaction.if_full())


def test_the_gauge_is_set_by_what_a_resumed_session_was_told():
    usage = Usage(input_tokens=40)
    said = AssistantSaid(AssistantMessage((Text("well"),), StopReason.END, usage))
    conversation = Conversation([*BEGINNING, said, UserSaid("go on")], Scripted(lambda _: GOOD))
    filling = conversation.compaction.filling()
    assert filling is not None
    assert conversation.model.gauge.observed
    fresh = Conversation([*BEGINNING, UserSaid("go on")], Scripted(lambda _: GOOD))
    plain = fresh.compaction.filling()
    assert plain is not None
    assert filling.parts.whole > plain.parts.whole


def test_nothing_fills_a_window_before_the_first_words():
    assert Conversation(BEGINNING[:2], Scripted(lambda _: GOOD)).compaction.filling() is None


ANSWERS = st.sampled_from(
    [GOOD, "", "<summary>half", LONG * 9, ProviderError("no", Fault.INVALID_REQUEST)]
)
WINDOWS = st.builds(
    Window, st.sampled_from([None, 500, 2_000, 20_000]), st.sampled_from([None, 100])
)


STEPS = st.lists(st.sampled_from(["work", "user", "full", "refused"]), max_size=12)


@pytest.mark.invariant("I10", "L2")
@given(
    first=conversations(),
    answers=st.lists(ANSWERS, min_size=40, max_size=40),
    window=WINDOWS,
    steps=STEPS,
)
def test_no_word_of_the_user_is_lost_and_there_is_an_end(
    first: list[Entry], answers: list[str | ProviderError], window: Window, steps: list[str]
):
    left = iter(answers)
    conversation = Conversation(first, Scripted(lambda _: next(left)), window)
    for number, step in enumerate(steps):
        asyncio.run(take(conversation, step, number))
        read = conversation.texts()
        assert all(said in read for said in conversation.session.state.task.said if said.strip())
    marks = [
        type(one)
        for one in conversation.entries
        if isinstance(one, AssistantSaid | HistoryCompacted)
    ]
    assert all(kind is AssistantSaid or len(list(group)) == 1 for kind, group in groupby(marks))


async def take(conversation: Conversation, step: str, number: int) -> None:
    match step:
        case "work":
            for entry in (asked(f"w{number}"), *ran(f"w{number}", content=LONG)):
                conversation.session.append(entry)
        case "user":
            conversation.session.append(UserSaid(f"words {number} <b>"))
            await conversation.compaction.asked()
        case "full":
            await conversation.compaction.if_full()
        case _:
            await conversation.compaction._after_refusal()


def test_where_it_is_turned_off_the_user_is_told_how_to_make_room():
    refusal = ProviderError("prompt is too long", Fault.CONTEXT_WINDOW)
    conversation = after(refusal, Window(automatic=False))
    with pytest.raises(ProviderError, match="/compact makes room"):
        asyncio.run(conversation.compaction.answer())
    assert compactions(conversation) == []


@pytest.mark.parametrize("reason", [StopReason.LENGTH, StopReason.REFUSAL])
def test_a_summary_that_was_cut_off_is_of_no_use(reason: StopReason):
    provider = Scripted(lambda _: GOOD)
    provider.stop_reason = reason
    conversation = Conversation(WORK, provider, FULL)
    asyncio.run(conversation.compaction.if_full())
    (entry,) = compactions(conversation)
    assert (entry.asked, entry.fell_back, entry.summary) == (True, True, "")


def test_words_of_the_user_alone_need_no_summary():
    provider = Scripted(lambda _: GOOD)
    told = [BEGINNING[0], BEGINNING[1], UserSaid("do it", environment=LONG * 2), *work("a")]
    conversation = Conversation(told, provider)
    assert asyncio.run(conversation.compaction.asked())
    (entry,) = compactions(conversation)
    assert (entry.kept, entry.asked, provider.requests) == (2, False, [])

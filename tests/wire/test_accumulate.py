"""Deltas to one message."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_cli.types.errors import Fault, ProviderError
from agent_cli.types.events import (
    MessageEnd,
    ReasoningDelta,
    Retrying,
    TextDelta,
    ToolCallBegin,
    ToolCallDelta,
    ToolCallEnd,
)
from agent_cli.types.messages import AssistantMessage, Reasoning, StopReason, Text, ToolCall
from agent_cli.types.usage import Usage
from agent_cli.wire.accumulate import Accumulator

CALL = (ToolCallBegin(0, "a", "read_file"), ToolCallDelta(0, "{}"), ToolCallEnd(0))
CALLED = ToolCall("a", "read_file", "{}")


def accumulate(*deltas, stop=StopReason.END, taken=()) -> AssistantMessage:
    accumulator = Accumulator(taken)
    for delta in (*deltas, MessageEnd(stop, Usage())):
        accumulator.add(delta)
    return accumulator.message()


ORDERS = [
    pytest.param([], (), id="nothing"),
    pytest.param([TextDelta("a"), TextDelta(""), TextDelta("b")], (Text("ab"),), id="text"),
    pytest.param([TextDelta("")], (), id="empty text is no block"),
    pytest.param(
        [TextDelta("a"), *CALL, TextDelta("b")],
        (Text("a"), CALLED, Text("b")),
        id="text after a call is a new block",
    ),
    pytest.param(
        [ReasoningDelta("a"), ReasoningDelta("b", "x"), ReasoningDelta("c")],
        (Reasoning("ab", "x"), Reasoning("c")),
        id="an opaque value closes reasoning",
    ),
    pytest.param(
        [ReasoningDelta("a"), TextDelta("b"), ReasoningDelta("", "x")],
        (Reasoning("a"), Text("b"), Reasoning("", "x")),
        id="text closes reasoning",
    ),
    pytest.param([ReasoningDelta("")], (), id="empty reasoning is no block"),
    pytest.param([TextDelta("\ud83d"), TextDelta("\ude00")], (Text("😀"),), id="halves are joined"),
    pytest.param(
        [ReasoningDelta("\ud83d", "\ude00"), TextDelta("\ud83d")],
        (Reasoning("\ufffd", "\ufffd"), Text("\ufffd")),
        id="lone surrogates are replaced",
    ),
]


@pytest.mark.parametrize(("deltas", "blocks"), ORDERS)
def test_blocks_keep_their_order(deltas, blocks):
    assert accumulate(*deltas).blocks == blocks


def test_calls_may_be_interleaved():
    message = accumulate(
        ToolCallBegin(4, "a", "one", "x"),
        ToolCallBegin(2, "b", "two", "y"),
        ToolCallDelta(2, '{"n":'),
        ToolCallDelta(4, "{}"),
        TextDelta("hm"),
        ToolCallDelta(2, "1}"),
        ToolCallEnd(2, "z"),
        ToolCallEnd(4),
    )
    assert message.blocks == (
        ToolCall("a", "one", "{}", opaque="x"),
        ToolCall("b", "two", '{"n":1}', opaque="z"),
        Text("hm"),
    )


def test_an_index_used_again_is_another_call():
    message = accumulate(*CALL, *CALL)
    assert [call.id for call in message.calls] == ["a", "a_2"]


def test_a_call_may_have_no_arguments():
    (call,) = accumulate(CALL[0], CALL[2]).calls
    assert call.arguments == ""
    assert call.complete


@pytest.mark.invariant("I16")
def test_texts_of_a_call_are_well_formed():
    begin = ToolCallBegin(0, "\ud800", "\ud800", "\ud800")
    (call,) = accumulate(begin, ToolCallDelta(0, "\ud83d"), ToolCallDelta(0, "\ude00")).calls
    assert call == ToolCall("_", "_", "😀", complete=False, opaque="\ufffd")


@pytest.mark.parametrize(
    ("deltas", "stop", "complete"),
    [
        pytest.param([*CALL, *CALL], StopReason.CALLS, [True, True], id="all ended"),
        pytest.param([*CALL[:2], TextDelta("a")], StopReason.CALLS, [False], id="not ended"),
        pytest.param([*CALL, *CALL], StopReason.LENGTH, [True, False], id="token limit"),
        pytest.param([TextDelta("a")], StopReason.LENGTH, [], id="token limit without calls"),
    ],
)
def test_a_call_that_was_cut_off_is_not_complete(deltas, stop, complete):
    assert [call.complete for call in accumulate(*deltas, stop=stop).calls] == complete


@pytest.mark.parametrize(
    ("deltas", "said", "meant"),
    [
        (CALL, StopReason.END, StopReason.CALLS),
        (CALL, StopReason.REFUSAL, StopReason.REFUSAL),
        (CALL, StopReason.LENGTH, StopReason.LENGTH),
        ((), StopReason.END, StopReason.END),
    ],
)
def test_a_message_with_calls_did_not_simply_end(deltas, said, meant):
    assert accumulate(*deltas, stop=said).stop_reason is meant


@pytest.mark.invariant("I3")
def test_ids_that_the_session_has_used_are_not_used_again():
    assert [call.id for call in accumulate(*CALL, taken={"a"}).calls] == ["a_2"]


@pytest.mark.invariant("I4")
def test_a_retry_makes_everything_before_it_void():
    end = MessageEnd(StopReason.END, Usage(1, 2))
    message = accumulate(*CALL, TextDelta("a"), end, Retrying(1, 0.5, "cut"), TextDelta("b"))
    assert message == AssistantMessage((Text("b"),))


def test_text_so_far_leaves_out_calls_and_reasoning():
    accumulator = Accumulator(())
    for delta in (ReasoningDelta("no"), TextDelta("a"), *CALL, TextDelta("b\ud83d")):
        accumulator.add(delta)
    assert accumulator.text == "ab\ufffd"


def test_there_is_no_message_before_the_end():
    accumulator = Accumulator(())
    accumulator.add(TextDelta("a"))
    with pytest.raises(ProviderError, match="terminal event") as caught:
        accumulator.message()
    assert caught.value.fault is Fault.CUT


@pytest.mark.parametrize("delta", [ToolCallDelta(3, "{}"), ToolCallEnd(3)])
def test_a_call_that_was_never_begun_breaks_the_stream(delta):
    with pytest.raises(ProviderError, match="call 3, never begun"):
        accumulate(delta)


@pytest.mark.invariant("I16")
@given(st.lists(st.text(st.characters(codec=None)), max_size=20))
def test_text_does_not_depend_on_how_it_was_cut(pieces):
    cut = accumulate(*map(TextDelta, pieces))
    assert cut == accumulate(TextDelta("".join(pieces)))
    cut.text.encode()

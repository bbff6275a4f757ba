"""How Responses streams speak, end and fail, one row per habit."""

import msgspec
import pytest
from testbed.openai_values import heard
from testbed.responses_events import A_DONE, XY, A, B, X, added, completed, done, event, piece

from agent_cli.types.errors import Fault, ProviderError
from agent_cli.types.events import ReasoningDelta, TextDelta
from agent_cli.types.messages import Reasoning, StopReason, Text, ToolCall
from agent_cli.types.usage import Usage
from agent_cli.wire import openai_responses
from agent_cli.wire.frames import Frame

TEXT_ITEM = {"type": "message", "id": "msg_1", "content": [{"type": "output_text", "text": "hi"}]}
REFUSAL_ITEM = {"type": "message", "content": [{"type": "refusal", "refusal": "no"}]}
THOUGHT_ITEM = {
    "type": "reasoning",
    "id": "rs_1",
    "summary": [{"type": "summary_text", "text": "a"}, {"type": "summary_text", "text": "b"}],
    "encrypted_content": "e==",
}
OPAQUE = msgspec.json.encode(THOUGHT_ITEM).decode()
HI = event("response.output_text.delta", 0, delta="hi")
SUMMARY, TEXT = "response.reasoning_summary_text.delta", "response.reasoning_text.delta"

BLOCKS = [
    pytest.param([HI, done(TEXT_ITEM, 0)], [Text("hi")], id="text"),
    pytest.param([done(TEXT_ITEM, 0), done(TEXT_ITEM, 0)], [Text("hi")], id="text without deltas"),
    pytest.param(
        [event("response.refusal.delta", 0, delta="no"), done(REFUSAL_ITEM, 0)],
        [Text("no")],
        id="a refusal",
    ),
    pytest.param([done(REFUSAL_ITEM, 0)], [Text("no")], id="a refusal without deltas"),
    pytest.param([done({**TEXT_ITEM, "content": "hi"}, 0)], [Text("hi")], id="content as text"),
    pytest.param([done({**TEXT_ITEM, "content": []}, 0)], [], id="an empty message"),
    pytest.param(
        [
            event(SUMMARY, 0, summary_index=0, delta="a"),
            event(SUMMARY, 0, summary_index=1, delta="b"),
            done(THOUGHT_ITEM, 0),
        ],
        [Reasoning("a\n\nb", OPAQUE)],
        id="reasoning, part by part",
    ),
    pytest.param([done(THOUGHT_ITEM, 0)], [Reasoning("a\n\nb", OPAQUE)], id="without deltas"),
    pytest.param(
        [event(TEXT, 0, content_index=0, delta="a"), event(TEXT, 0, content_index=0, delta="b")],
        [Reasoning("ab")],
        id="reasoning text",
    ),
    pytest.param(
        [done(THOUGHT_ITEM, 0), done({**THOUGHT_ITEM, "id": "rs_2"}, 1)],
        [Reasoning("a\n\nb", OPAQUE), Reasoning("a\n\nb", OPAQUE.replace("rs_1", "rs_2"))],
        id="two items stay two",
    ),
    pytest.param([added(TEXT_ITEM, 0), added(THOUGHT_ITEM, 1)], [], id="items not yet done"),
    pytest.param(
        [
            done({"type": "web_search_call", "id": "ws_1", "action": {}}, 0),
            event("response.new"),
            event("response.audio.delta", delta="AAAA"),
            event("x", delta={"a": 1}),
            Frame(b"[DONE]"),
        ],
        [],
        id="what we do not know",
    ),
    pytest.param(
        [Frame(b'{"delta":"hi"}', "response.output_text.delta")], [Text("hi")], id="SSE name"
    ),
]


@pytest.mark.parametrize(("frames", "blocks"), BLOCKS)
def test_items_become_blocks_once(frames, blocks):
    assert list(heard(openai_responses, [*frames, completed()]).blocks) == blocks


def test_words_are_passed_on_as_they_come():
    decoder = openai_responses.decoder()
    assert decoder.decode(HI) == (TextDelta("hi"),)
    assert decoder.decode(event(SUMMARY, 0, delta="hm")) == (ReasoningDelta("hm"),)


def test_half_a_character_in_each_of_two_deltas_is_one_character():
    halves = [
        Frame(b'{"type":"response.output_text.delta","delta":"\\ud83d"}'),
        Frame(b'{"type":"response.output_text.delta","delta":"\\ude00"}'),
    ]
    assert heard(openai_responses, [*halves, completed()]).text == "\U0001f600"


LIMIT = {"status": "incomplete", "incomplete_details": {"reason": "max_output_tokens"}}
FILTER = {"status": "incomplete", "incomplete_details": {"reason": "content_filter"}}
REASONS = [
    pytest.param([HI, completed()], StopReason.END, id="completed"),
    pytest.param([done(A_DONE, 0), completed()], StopReason.CALLS, id="with calls"),
    pytest.param([done(REFUSAL_ITEM, 0), completed()], StopReason.REFUSAL, id="a refusal"),
    pytest.param([event("response.incomplete", response=LIMIT)], StopReason.LENGTH, id="limit"),
    pytest.param([event("response.incomplete", response=FILTER)], StopReason.REFUSAL, id="filter"),
    pytest.param(
        [event("response.incomplete", response={"status": "incomplete"})],
        StopReason.LENGTH,
        id="no details",
    ),
    pytest.param([event("response.done")], StopReason.END, id="an end without a response"),
]


@pytest.mark.parametrize(("frames", "reason"), REASONS)
def test_the_end_means_one_of_ours(frames, reason):
    assert heard(openai_responses, frames).stop_reason is reason


def test_the_last_call_is_cut_off_by_the_token_limit():
    frames = [added(A, 0), *XY[:1], XY[2], added(B, 1), piece('{"y', 1)]
    end = event("response.incomplete", response=LIMIT)
    cut = ToolCall("b", "g", '{"y', complete=False, opaque="fc_2")
    assert heard(openai_responses, [*frames, end]).calls == (X, cut)


def test_usage_that_is_not_told_is_estimated():
    frames = [HI, done(A_DONE, 1), event(SUMMARY, 2, delta="a")]
    message = heard(openai_responses, [*frames, completed(usage=None)])
    assert message.usage == Usage(output_tokens=3, estimated=True)


LIMITED = {"code": "rate_limit_exceeded", "message": "m"}
ERRORS = [
    pytest.param(event("error", **LIMITED), Fault.RATE_LIMITED, id="flat"),
    pytest.param(event("error", error=LIMITED), Fault.RATE_LIMITED, id="nested"),
    pytest.param(
        event("response.failed", response={"status": "failed", "error": LIMITED}),
        Fault.RATE_LIMITED,
        id="failed",
    ),
    pytest.param(
        event("response.failed", response={"status": "failed", "error": None}),
        Fault.SERVER,
        id="failed without a reason",
    ),
    pytest.param(event("response.cancelled"), Fault.CUT, id="cancelled by the provider"),
    pytest.param(Frame(b'{"error":{"message":"m","code":401}}'), Fault.AUTHENTICATION, id="bare"),
    pytest.param(Frame(b'{"type":"response.output_text.delta","delta":"m'), Fault.CUT, id="half"),
    pytest.param(Frame(b'{"type":"response.output_item.done"}'), Fault.CUT, id="no item"),
]


@pytest.mark.parametrize(("frame", "fault"), ERRORS)
def test_errors_inside_a_stream_are_raised(frame: Frame, fault: Fault):
    with pytest.raises(ProviderError) as caught:
        openai_responses.decoder().decode(frame)
    assert caught.value.fault is fault

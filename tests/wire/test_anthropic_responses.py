"""Responses in the Messages format, whole and as streams."""

import json
import time
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from testbed.anthropic_values import responses

from agent_cli.types.errors import Fault, ProviderError, WireError
from agent_cli.types.events import (
    Delta,
    MessageEnd,
    ReasoningDelta,
    TextDelta,
    ToolCallBegin,
    ToolCallDelta,
    ToolCallEnd,
)
from agent_cli.types.messages import AssistantMessage, Reasoning, StopReason, Text
from agent_cli.types.usage import Usage
from agent_cli.wire import anthropic_messages as codec
from agent_cli.wire.accumulate import Accumulator
from agent_cli.wire.frames import Frame
from agent_cli.wire.sse import SseReader, write_event


def frame(kind: str, **fields) -> Frame:
    return Frame(json.dumps({"type": kind, **fields}).encode(), kind)


def start(block, index=0) -> Frame:
    return frame("content_block_start", index=index, content_block=block)


def piece(kind, index=0, **fields) -> Frame:
    return frame("content_block_delta", index=index, delta={"type": kind, **fields})


STOP = frame("content_block_stop", index=0)
LAST = frame("message_stop")
CALL = {"type": "tool_use", "id": "toolu_1", "name": "x", "input": {}}
BEGIN = ToolCallBegin(0, "toolu_1", "x")


def decode(*frames: Frame) -> list[Delta]:
    decoder = codec.decoder()
    return [delta for frame in frames for delta in decoder.decode(frame)]


def accumulate(frames) -> AssistantMessage:
    accumulator = Accumulator(())
    for delta in decode(*frames):
        accumulator.add(delta)
    return accumulator.message()


@given(responses())
def test_a_message_survives_a_stream(message):
    assert accumulate(codec.encode_stream(message, "m")) == message


@given(responses())
def test_a_message_survives_a_whole_response(message):
    assert codec.decode_response(codec.encode_response(message, "m")) == message


@given(responses(), st.data())
def test_how_a_stream_is_cut_does_not_matter(message, data):
    stream = b"".join(map(write_event, codec.encode_stream(message, "m")))
    cuts = sorted(data.draw(st.lists(st.integers(0, len(stream)), max_size=9)))
    reader = SseReader()
    edges = [0, *cuts, len(stream)]
    frames = [frame for one, two in pairwise(edges) for frame in reader.feed(stream[one:two])]
    assert accumulate(frames) == message


THINKING = {"type": "thinking", "thinking": "", "signature": "", "new": 1}
REDACTED = '{"type": "redacted_thinking", "data": "x"}'
STREAMS = [
    pytest.param([start({"type": "text", "text": ""})], [], id="text begins empty"),
    pytest.param([start({"type": "text", "text": "a"})], [TextDelta("a")], id="text at the start"),
    pytest.param([piece("text_delta", text="a")], [TextDelta("a")], id="text"),
    pytest.param(
        [start(THINKING), piece("thinking_delta", thinking="a"), STOP],
        [ReasoningDelta("a")],
        id="thinking without signature",
    ),
    pytest.param(
        [
            start(THINKING | {"thinking": "a"}),
            piece("thinking_delta", thinking="b"),
            piece("signature_delta", signature="s"),
            STOP,
        ],
        [
            ReasoningDelta("a"),
            ReasoningDelta("b"),
            ReasoningDelta("", '{"type":"thinking","thinking":"ab","signature":"s","new":1}'),
        ],
        id="signed thinking keeps unknown fields",
    ),
    pytest.param(
        [start(json.loads(REDACTED)), STOP], [ReasoningDelta("", REDACTED)], id="redacted thinking"
    ),
    pytest.param(
        [
            start(CALL),
            piece("input_json_delta", partial_json=""),
            piece("input_json_delta", partial_json='{"a": '),
            piece("input_json_delta", partial_json="1 }"),
            STOP,
        ],
        [BEGIN, ToolCallDelta(0, '{"a": '), ToolCallDelta(0, "1 }"), ToolCallEnd(0)],
        id="arguments byte for byte",
    ),
    pytest.param([start(CALL), STOP], [BEGIN, ToolCallEnd(0)], id="no arguments"),
    pytest.param(
        [start(CALL | {"input": {"a": 1}}), STOP],
        [BEGIN, ToolCallDelta(0, '{"a": 1}'), ToolCallEnd(0)],
        id="arguments at the start",
    ),
    pytest.param(
        [start(CALL | {"input": {"a": 1}}), piece("input_json_delta", partial_json="{}"), STOP],
        [BEGIN, ToolCallDelta(0, "{}"), ToolCallEnd(0)],
        id="streamed arguments win",
    ),
    pytest.param([start(CALL)], [BEGIN], id="a call cut off has no end"),
    pytest.param(
        [start({"type": "server_tool_use"}), piece("input_json_delta", partial_json="{}"), STOP],
        [],
        id="unknown block",
    ),
    pytest.param([start(CALL), piece("citations_delta")], [BEGIN], id="unknown delta"),
    pytest.param([frame("ping"), frame("future", delta="odd")], [], id="unknown events"),
    pytest.param([Frame(b"[DONE]")], [], id="another format's terminator"),
    pytest.param(
        [LAST, piece("text_delta", text="a")],
        [MessageEnd(StopReason.END, Usage())],
        id="nothing follows the end",
    ),
    pytest.param(
        [Frame(rb'{"type":"content_block_delta","delta":{"type":"text_delta","text":"\ud83d"}}')],
        [TextDelta("\ud83d")],
        id="half a character",
    ),
]


@pytest.mark.parametrize(("frames", "deltas"), STREAMS)
def test_a_stream(frames, deltas):
    assert decode(*frames) == deltas


@pytest.mark.parametrize(
    ("word", "reason"),
    [
        ("end_turn", StopReason.END),
        ("stop_sequence", StopReason.END),
        ("pause_turn", StopReason.END),
        ("tool_use", StopReason.CALLS),
        ("max_tokens", StopReason.LENGTH),
        ("model_context_window_exceeded", StopReason.LENGTH),
        ("refusal", StopReason.REFUSAL),
        ("something_new", StopReason.END),
        (None, StopReason.END),
    ],
)
def test_a_stop_reason_has_a_meaning(word, reason):
    frames = [frame("message_delta", delta={"stop_reason": word}), LAST]
    assert decode(*frames) == [MessageEnd(reason, Usage())]


def test_usage_is_merged_and_input_counts_cached_tokens():
    early = {"input_tokens": 1, "cache_creation_input_tokens": 20, "output_tokens": 1}
    late = {"output_tokens": 7, "input_tokens": 0, "cache_read_input_tokens": 300}
    frames = [
        frame("message_start", message={"usage": early | {"cache_read_input_tokens": None}}),
        frame("message_delta", delta={"stop_reason": "end_turn"}, usage=late),
        LAST,
    ]
    assert decode(*frames) == [MessageEnd(StopReason.END, Usage(321, 7, 300, 20))]


def test_the_end_is_message_stop_and_nothing_else():
    decoder = codec.decoder()
    decoder.decode(frame("message_delta", delta={"stop_reason": "end_turn"}))
    assert not decoder.finished
    assert decoder.eof() == ()
    decoder.decode(LAST)
    assert decoder.finished


@pytest.mark.parametrize(
    ("kind", "message", "fault"),
    [
        ("overloaded_error", "Overloaded", Fault.OVERLOADED),
        ("rate_limit_error", "slow", Fault.RATE_LIMITED),
        ("invalid_request_error", "prompt is too long: 9 > 1", Fault.CONTEXT_WINDOW),
    ],
)
def test_an_error_is_raised_wherever_it_is_reported(kind, message, fault):
    error = {"type": kind, "message": message}
    with pytest.raises(ProviderError, match=message) as streamed:
        decode(frame("error", error=error))
    body = json.dumps({"type": "error", "error": error}).encode()
    with pytest.raises(ProviderError, match=message) as whole:
        codec.decode_response(body)
    assert streamed.value.fault is whole.value.fault is fault


@pytest.mark.parametrize(
    "data",
    [b'{"type":"content_bl', b"<html>", b"[]", b'{"type":"content_block_start"}'],
    ids=["cut", "html", "array", "no block"],
)
def test_a_broken_frame_cuts_the_stream(data):
    with pytest.raises(ProviderError, match="the stream broke") as caught:
        decode(Frame(data))
    assert caught.value.fault is Fault.CUT


@pytest.mark.parametrize("body", [b"", b"[]", b'{"content":[{"text":"a"}]}'])
def test_a_body_that_is_no_response_is_refused(body):
    with pytest.raises(WireError, match="not "):
        codec.decode_response(body)


def test_a_whole_response_is_read_as_its_stream_would_be():
    content = [
        {"type": "text", "text": "a"},
        {"type": "server_tool_use"},
        {"type": "text", "text": "b"},
        CALL | {"id": "bad id", "input": {}},
    ]
    message = codec.decode_response(json.dumps({"content": content}).encode())
    assert message.blocks[0] == Text("ab")
    assert [call.id for call in message.calls] == ["bad_id"]
    assert message.stop_reason is StopReason.CALLS


def test_reasoning_of_another_format_is_shown_without_a_signature():
    message = AssistantMessage((Reasoning("hm", '{"type":"reasoning"}'),))
    response = json.loads(codec.encode_response(message, "m"))
    assert response["content"] == [{"type": "thinking", "thinking": "hm", "signature": ""}]
    assert response["id"].startswith("msg_")
    assert accumulate(codec.encode_stream(message, "m")).blocks == (Reasoning("hm"),)


def test_five_megabytes_of_small_deltas_are_decoded_fast():
    event = write_event(piece("text_delta", text="abcd"))
    count = 5_000_000 // len(event)
    stream = event * count
    started = time.process_time()
    reader, decoder = SseReader(), codec.decoder()
    deltas = [
        delta
        for at in range(0, len(stream), 65536)
        for frame in reader.feed(stream[at : at + 65536])
        for delta in decoder.decode(frame)
    ]
    assert time.process_time() - started < 2  # 0.1 s where nothing else runs
    assert len(deltas) == count

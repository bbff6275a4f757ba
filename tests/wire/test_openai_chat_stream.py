"""How Chat Completions streams speak, end and fail, one row per habit."""

import pytest
from testbed.chat_chunks import CALLED, COUNTED, DONE, USAGE, chunk, counted, piece
from testbed.openai_values import heard

from agent_cli.types.errors import Fault, ProviderError
from agent_cli.types.events import ReasoningDelta, TextDelta
from agent_cli.types.messages import Reasoning, StopReason, Text, ToolCall
from agent_cli.types.usage import Usage
from agent_cli.wire import openai_chat
from agent_cli.wire.frames import Frame

X = ToolCall("a", "f", '{"x":1}')

WORDS = [
    pytest.param({"content": "hi"}, TextDelta("hi"), id="text"),
    pytest.param({"refusal": "no"}, TextDelta("no"), id="a refusal"),
    pytest.param({"reasoning_content": "hm"}, ReasoningDelta("hm"), id="reasoning_content"),
    pytest.param({"reasoning": "hm"}, ReasoningDelta("hm"), id="reasoning"),
    pytest.param(
        {"reasoning": "hm", "reasoning_content": "hm"}, ReasoningDelta("hm"), id="both are one"
    ),
    pytest.param({"content": [{"type": "text", "text": "hi"}]}, TextDelta("hi"), id="parts"),
    pytest.param(
        {"content": [{"type": "thinking", "thinking": [{"type": "text", "text": "hm"}]}]},
        ReasoningDelta("hm"),
        id="thinking parts",
    ),
]
SILENCE = [None, {}, {"role": "assistant", "content": ""}, {"content": None}, {"reasoning": {}}]


@pytest.mark.parametrize(("delta", "expected"), WORDS)
def test_words_become_deltas(delta, expected):
    assert openai_chat.decoder().decode(chunk(delta)) == (expected,)


@pytest.mark.parametrize("delta", SILENCE, ids=str)
def test_deltas_that_say_nothing_make_nothing(delta):
    assert openai_chat.decoder().decode(chunk(delta)) == ()


@pytest.mark.parametrize("data", [b'{"choices":null}', b'{"choices":[{"index":1}]}', b"{}"])
def test_other_choices_and_empty_chunks_are_ignored(data: bytes):
    assert openai_chat.decoder().decode(Frame(data)) == ()


REASONS = [
    pytest.param([chunk({"content": "x"}, "stop")], StopReason.END, id="stop"),
    pytest.param([chunk({"content": "x"}, "eos")], StopReason.END, id="a word of its own"),
    pytest.param([chunk({"content": "x"}, "length")], StopReason.LENGTH, id="length"),
    pytest.param([chunk({"content": "x"}, "content_filter")], StopReason.REFUSAL, id="filter"),
    pytest.param([chunk({"refusal": "x"}, "stop")], StopReason.REFUSAL, id="refusal"),
    pytest.param([piece(0, "a", "f", "{}"), CALLED], StopReason.CALLS, id="tool_calls"),
    pytest.param(
        [piece(0, "a", "f", "{}"), chunk({}, "stop")], StopReason.CALLS, id="stop, with calls"
    ),
    pytest.param(
        [piece(0, "a", "f", "{}"), chunk({}, "function_call")],
        StopReason.CALLS,
        id="function_call",
    ),
    pytest.param([CALLED], StopReason.END, id="tool_calls, without calls"),
    pytest.param([chunk({"content": "x"}, "")], StopReason.END, id="empty, then [DONE]"),
]


@pytest.mark.parametrize(("frames", "reason"), REASONS)
def test_finish_reasons_mean_one_of_ours(frames, reason):
    assert heard(openai_chat, [*frames, DONE]).stop_reason is reason


def test_the_last_call_is_cut_off_by_the_token_limit():
    frames = [piece(0, "a", "f", '{"x":1}'), piece(1, "b", "g", '{"y'), chunk({}, "length"), DONE]
    assert heard(openai_chat, frames).calls == (X, ToolCall("b", "g", '{"y', complete=False))


COSTS = [
    pytest.param(
        {**USAGE, "prompt_tokens_details": {"cached_tokens": 3, "cache_write_tokens": 1}},
        Usage(5, 2, 3, 1),
        id="cached tokens",
    ),
    pytest.param({**USAGE, "prompt_cache_hit_tokens": 3}, Usage(5, 2, 3), id="cache hits"),
    pytest.param({**USAGE, "cost": 0.5}, Usage(5, 2, cost=0.5), id="cost"),
    pytest.param({**USAGE, "prompt_tokens_details": None}, COUNTED, id="no details"),
]


@pytest.mark.parametrize(("usage", "expected"), COSTS)
def test_usage_is_read(usage, expected):
    assert heard(openai_chat, [chunk({"content": "x"}, "stop"), counted(usage)]).usage == expected


ENDS = [
    pytest.param([chunk({"content": "x" * 9}, "stop")], None, id="neither usage nor [DONE]"),
    pytest.param([chunk({"content": "x" * 9}, "stop"), DONE], None, id="no usage"),
    pytest.param([chunk({"content": "x" * 9}, "stop"), counted({}), DONE], None, id="no numbers"),
    pytest.param([chunk({"content": "x" * 9}, "stop", usage=USAGE)], COUNTED, id="usage with it"),
    pytest.param(
        [
            chunk({"content": "x" * 9}, usage={**USAGE, "completion_tokens": 1}),
            chunk({}, "stop"),
            counted(),
            chunk({"content": "late"}),
            DONE,
        ],
        COUNTED,
        id="usage all along; what follows the end is ignored",
    ),
]


@pytest.mark.parametrize(("frames", "usage"), ENDS)
def test_a_stream_ends_when_nothing_more_is_to_come(frames, usage):
    message = heard(openai_chat, frames)
    assert message.blocks == (Text("x" * 9),)
    assert message.usage == (usage or Usage(output_tokens=3, estimated=True))


def test_a_stream_that_stops_without_a_finish_reason_is_cut():
    decoder = openai_chat.decoder()
    decoder.decode(chunk({"content": "x"}))
    assert decoder.eof() == ()
    assert not decoder.finished


def test_reasoning_and_calls_count_towards_estimated_usage():
    frames = [chunk({"reasoning": "hm"}), piece(0, "a", "f", "{}"), CALLED]
    message = heard(openai_chat, frames)
    assert message.blocks[0] == Reasoning("hm")
    assert message.usage == Usage(output_tokens=1, estimated=True)


def test_half_a_character_in_each_of_two_deltas_is_one_character():
    halves = [
        Frame(b'{"choices":[{"delta":{"content":"\\ud83d"}}]}'),
        Frame(b'{"choices":[{"delta":{"content":"\\ude00"}}]}'),
    ]
    assert heard(openai_chat, [*halves, DONE]).text == "\U0001f600"


ERRORS = [
    pytest.param('{"error":{"message":"m","code":429}}', Fault.RATE_LIMITED, id="a status"),
    pytest.param('{"error":{"message":"m","code":"503"}}', Fault.OVERLOADED, id="a status as text"),
    pytest.param(
        '{"error":{"message":"m","code":null,"type":"invalid_request_error"}}',
        Fault.INVALID_REQUEST,
        id="a type",
    ),
    pytest.param(
        '{"error":{"message":"m","code":"context_length_exceeded","type":"invalid_request_error"}}',
        Fault.CONTEXT_WINDOW,
        id="too long, said by its code",
    ),
    pytest.param(
        '{"error":{"message":"m: maximum context length is 9","code":400}}',
        Fault.CONTEXT_WINDOW,
        id="too long, said in words",
    ),
    pytest.param('{"error":{"message":"m","code":"odd"}}', Fault.SERVER, id="a code of its own"),
    pytest.param('{"error":"m"}', Fault.SERVER, id="a sentence"),
    pytest.param(
        '{"choices":[{"error":{"message":"m","code":502},"finish_reason":"error"}]}',
        Fault.SERVER,
        id="in a choice",
    ),
    pytest.param('{"choices":[{"delta":{"content":"m', Fault.CUT, id="half a frame"),
    pytest.param('<html>"m', Fault.CUT, id="not JSON"),
]


@pytest.mark.parametrize(("data", "fault"), ERRORS)
def test_errors_inside_a_stream_are_raised(data: str, fault: Fault):
    with pytest.raises(ProviderError, match="m") as caught:
        openai_chat.decoder().decode(Frame(data.encode()))
    assert caught.value.fault is fault


@pytest.mark.parametrize(
    ("reason", "fault"),
    [("error", Fault.SERVER), ("insufficient_system_resource", Fault.OVERLOADED)],
)
def test_a_finish_reason_may_mean_failure(reason: str, fault: Fault):
    decoder = openai_chat.decoder()
    decoder.decode(chunk({}, reason))
    with pytest.raises(ProviderError, match=reason) as caught:
        decoder.decode(DONE)
    assert caught.value.fault is fault

"""Chat Completions: requests, responses and our own streams."""

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from openai.types.chat import ChatCompletion, ChatCompletionChunk
from testbed.openai_values import ARGUMENTS, NAMES, SAID, USAGES, heard, requests, sent, spoken
from testbed.validators.openai_chat import violations

from agent_cli.types.errors import Fault, ProviderError, WireError
from agent_cli.types.messages import (
    AssistantMessage,
    Image,
    Reasoning,
    StopReason,
    Text,
    ToolCall,
    ToolResult,
    UserMessage,
)
from agent_cli.types.outcomes import Outcome
from agent_cli.types.requests import ModelRequest, ToolSpec
from agent_cli.wire import openai_chat
from agent_cli.wire.frames import Fragments, Frame

IMAGE = Image("image/png", "AAAA")
SCHEMA = msgspec.Raw(b'{ "type": "object" }')
USER = UserMessage("go")


@st.composite
def said(draw: st.DrawFn) -> AssistantMessage:
    texts = draw(st.lists(SAID.map(Text), max_size=1))
    opaque = st.sampled_from(["", '{"google": {"thought_signature": "x"}}'])
    calls = st.builds(ToolCall, NAMES, NAMES, ARGUMENTS, opaque=opaque)
    return AssistantMessage((*texts, *draw(st.lists(calls, min_size=not texts, max_size=3))))


@st.composite
def answers(draw: st.DrawFn) -> AssistantMessage:
    thoughts = draw(st.lists(SAID.map(Reasoning), max_size=1))
    blocks = [*thoughts, *draw(said()).blocks]
    usage = draw(USAGES)
    if not isinstance(blocks[-1], ToolCall):
        reasons = [StopReason.END, StopReason.LENGTH, StopReason.REFUSAL]
        return AssistantMessage(tuple(blocks), draw(st.sampled_from(reasons)), usage)
    blocks = [
        msgspec.structs.replace(block, id=f"call_{place}") if isinstance(block, ToolCall) else block
        for place, block in enumerate(blocks)
    ]
    if draw(st.booleans()):
        return AssistantMessage(tuple(blocks), StopReason.CALLS, usage)
    blocks[-1] = msgspec.structs.replace(blocks[-1], arguments='{"path": "a', complete=False)
    return AssistantMessage(tuple(blocks), StopReason.LENGTH, usage)


@given(requests(said()))
def test_a_request_survives_the_wire_and_is_legal(request: ModelRequest):
    body = openai_chat.encode_request(request, Fragments())
    assert openai_chat.decode_request(body) == request
    assert violations(msgspec.json.decode(body)) == []


@given(requests(said()))
def test_the_next_request_extends_the_bytes_of_the_one_before(request: ModelRequest):
    fragments = Fragments()
    before = openai_chat.encode_request(request, fragments)
    longer = msgspec.structs.replace(request, messages=(*request.messages, USER))
    assert openai_chat.encode_request(longer, fragments).startswith(before[: -len("]}")])


@given(answers())
def test_a_response_survives_the_wire_whole_and_streamed(message: AssistantMessage):
    body = openai_chat.encode_response(message, "m")
    assert openai_chat.decode_response(body) == message
    assert spoken(openai_chat, message) == message


@given(answers())
def test_the_vendors_own_types_read_what_we_write(message: AssistantMessage):
    body = ChatCompletion.model_validate_json(openai_chat.encode_response(message, "m"))
    assert body.choices[0].message.content == (message.text or None)
    *frames, last = openai_chat.encode_stream(message, "m")
    assert last == Frame(b"[DONE]")
    chunks = [ChatCompletionChunk.model_validate_json(frame.data) for frame in frames]
    assert chunks[-1].choices == []
    assert chunks[-1].usage is not None
    assert chunks[-2].choices[0].finish_reason == body.choices[0].finish_reason


@pytest.mark.trap("T-32")
def test_images_of_results_follow_all_results_and_find_their_way_back():
    calls = (ToolCall("a", "shoot", "{}"), ToolCall("b", "shoot", "{}"))
    history = (
        USER,
        AssistantMessage(calls, StopReason.CALLS),
        ToolResult("a", Outcome.OK, content="one", images=(IMAGE,)),
        ToolResult("b", Outcome.OK, content="two", images=(IMAGE, IMAGE)),
        AssistantMessage((Text("seen"),)),
        USER,
    )
    read = sent(openai_chat, *history)
    roles = [message["role"] for message in read["messages"]]
    assert roles == ["user", "assistant", "tool", "tool", "user", "user", "assistant", "user"]
    assert read["messages"][4]["content"][0]["text"] == "[images of a]"
    assert openai_chat.decode_request(msgspec.json.encode(read)).messages == history
    assert violations(read) == []


def test_a_message_with_images_that_answers_no_result_is_the_users():
    message = UserMessage("[images of a]", (IMAGE,))
    body = msgspec.json.encode(sent(openai_chat, message))
    assert openai_chat.decode_request(body).messages == (message,)
    result = ToolResult("b", Outcome.OK, content="x")
    body = msgspec.json.encode(sent(openai_chat, result, message))
    assert openai_chat.decode_request(body).messages == (result, message)


WRITTEN = [
    pytest.param(ToolCall("a", "f", "{ }"), "a", "f", "{ }", id="its own text, byte for byte"),
    pytest.param(ToolCall("a", "f", '{"x": '), "a", "f", "{}", id="arguments that were cut off"),
    pytest.param(ToolCall("a", "f", ""), "a", "f", "{}", id="no arguments"),
    pytest.param(ToolCall("a", "f", "[1]"), "a", "f", "{}", id="arguments that are a list"),
    pytest.param(ToolCall("a", "f", '{"x":NaN}'), "a", "f", "{}", id="not quite JSON"),
    pytest.param(ToolCall("a", "f", '{"x":' * 9000), "a", "f", "{}", id="too deep"),
    pytest.param(ToolCall("a", "r.f 1", "{}"), "a", "r_f_1", "{}", id="a name nobody offered"),
    pytest.param(ToolCall("a", "", "{}"), "a", "_", "{}", id="no name"),
    pytest.param(
        ToolCall("i" * 64, "f", "{}"),
        "iiiiiiiiiiiiiiiiiiiiiii_a343b617ce1070a3",
        "f",
        "{}",
        id="an id longer than the format allows",
    ),
]


@pytest.mark.parametrize(("call", "id_", "name", "arguments"), WRITTEN)
def test_a_call_is_written_so_that_the_next_request_is_accepted(call, id_, name, arguments):
    message = AssistantMessage((call,), StopReason.CALLS)
    read = sent(openai_chat, USER, message, ToolResult(call.id, Outcome.FAILED, content="no"))
    assert read["messages"][1]["tool_calls"] == [
        {"id": id_, "type": "function", "function": {"name": name, "arguments": arguments}}
    ]
    assert read["messages"][1]["content"] is None
    assert read["messages"][2]["tool_call_id"] == id_
    assert violations(read) == []


def test_an_assistant_that_said_nothing_is_left_out():
    thought = AssistantMessage((Reasoning("hm"),))
    assert len(sent(openai_chat, USER, thought, UserMessage(""), USER)["messages"]) == 2


def test_another_codecs_opaque_values_stay_with_that_codec():
    call = ToolCall("a", "f", "{}", opaque="fc_123")
    read = sent(openai_chat, USER, AssistantMessage((call,)), ToolResult("a", Outcome.OK))
    assert set(read["messages"][1]["tool_calls"][0]) == {"id", "type", "function"}


SETTINGS = [
    pytest.param({}, {}, id="nothing that was not asked for"),
    pytest.param({"max_output": 9}, {"max_completion_tokens": 9}, id="a limit"),
    pytest.param({"parallel_tool_calls": False}, {}, id="no parallel calls without tools"),
    pytest.param({"session_id": "s"}, {}, id="no cache key: compatible servers refuse it"),
]


@pytest.mark.parametrize(("settings", "expected"), SETTINGS)
def test_settings_are_sent_only_where_they_mean_something(settings, expected):
    read = sent(openai_chat, USER, **settings)
    assert read.pop("messages")
    assert read == {
        "model": "m",
        "stream": True,
        "stream_options": {"include_usage": True},
        **expected,
    }


@pytest.mark.parametrize("parallel", [True, False])
def test_tools_are_offered_with_their_schema_as_it_is(parallel):
    tool = ToolSpec("f", "does", SCHEMA)
    request = ModelRequest("m", "", (USER,), (tool,), parallel_tool_calls=parallel)
    body = openai_chat.encode_request(request, Fragments())
    assert bytes(SCHEMA) in body
    assert msgspec.json.decode(body)["parallel_tool_calls"] is parallel


FOREIGN = [
    pytest.param({"role": "developer", "content": "be"}, "be", (), id="developer"),
    pytest.param(
        {"role": "user", "content": [{"type": "text", "text": "a"}, {"text": "b"}]},
        "",
        (UserMessage("ab"),),
        id="text parts",
    ),
    pytest.param(
        {"role": "assistant", "content": None, "refusal": "no"},
        "",
        (AssistantMessage((Text("no"),)),),
        id="refusal",
    ),
    pytest.param(
        {"role": "assistant", "content": [{"type": "refusal", "refusal": "no"}]},
        "",
        (AssistantMessage((Text("no"),)),),
        id="refusal part",
    ),
]


@pytest.mark.parametrize(("message", "system", "messages"), FOREIGN)
def test_requests_of_other_clients_are_read(message, system, messages):
    tool = {"type": "function", "function": {"name": "f", "parameters": None}}
    body = {"model": "m", "messages": [message], "max_tokens": 7, "temperature": 0, "tools": [tool]}
    read = openai_chat.decode_request(msgspec.json.encode(body))
    assert (read.system, read.messages, read.max_output) == (system, messages, 7)
    assert msgspec.json.decode(read.tools[0].schema) == {"type": "object", "properties": {}}


UNREADABLE = [
    pytest.param(b"{", "not the expected JSON", id="not JSON"),
    pytest.param(b'{"model":"m"}', "not the expected JSON", id="no messages"),
    pytest.param(
        b'{"model":"m","messages":[{"role":"user","content":[{"image_url":{"url":"http://x"}}]}]}',
        "'http://x' is not a base64 data URL",
        id="an image elsewhere",
    ),
    pytest.param(
        b'{"model":"m","messages":[{"role":"user","content":[{"type":"file"}]}]}',
        "part of type 'file'",
        id="a part we cannot hold",
    ),
    pytest.param(
        b'{"model":"m","messages":[{"role":"user","content":7}]}',
        "neither text nor a list",
        id="content of no type",
    ),
]


@pytest.mark.parametrize(("body", "message"), UNREADABLE)
def test_a_request_that_cannot_be_held_is_refused(body: bytes, message: str):
    with pytest.raises(WireError, match=message):
        openai_chat.decode_request(body)


def test_a_response_without_choices_is_refused():
    with pytest.raises(WireError, match="no choices"):
        openai_chat.decode_response(b"{}")


def test_an_error_in_a_response_body_is_the_providers():
    with pytest.raises(ProviderError, match="slow down") as caught:
        openai_chat.decode_response(b'{"error":{"message":"slow down","code":429}}')
    assert caught.value.fault is Fault.RATE_LIMITED


def test_a_message_of_nothing_is_a_stream_all_the_same():
    assert heard(openai_chat, [Frame(b"[DONE]")]).blocks == ()

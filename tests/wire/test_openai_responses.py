"""Responses: requests, whole responses and our own streams."""

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from openai.types.responses import Response, ResponseStreamEvent
from pydantic import TypeAdapter
from testbed.openai_values import ARGUMENTS, NAMES, SAID, USAGES, requests, sent, spoken
from testbed.validators.openai_responses import violations

from agent_cli.types.errors import Fault, ProviderError, WireError
from agent_cli.types.messages import (
    AssistantMessage,
    Block,
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
from agent_cli.wire import openai_responses
from agent_cli.wire.frames import Fragments

IMAGE = Image("image/png", "AAAA")
SCHEMA = msgspec.Raw(b'{ "type": "object" }')
USER = UserMessage("go")
EVENT: TypeAdapter[ResponseStreamEvent] = TypeAdapter(ResponseStreamEvent)


def thought(*texts: str, id_: str = "rs_1", **more: object) -> Reasoning:
    """A block as it is read from an item that is laid out as nobody else would."""
    summary = [{"type": "summary_text", "text": text} for text in texts]
    item = {"type": "reasoning", "summary": summary, "encrypted_content": "e==", **more, "id": id_}
    opaque = msgspec.json.format(msgspec.json.encode(item), indent=1).decode()
    return Reasoning("\n\n".join(texts), opaque)


CALLS = st.builds(ToolCall, NAMES, NAMES, ARGUMENTS, opaque=st.just("fc_1"))
THOUGHTS = st.lists(SAID, max_size=2).map(lambda texts: thought(*texts))


@st.composite
def said(draw: st.DrawFn) -> AssistantMessage:
    """Draw blocks as a model makes them: texts apart, every reasoning before what it led to."""
    blocks: list[Block] = []
    for block in draw(st.lists(CALLS | SAID.map(Text), min_size=1, max_size=3)):
        reasoned = draw(st.booleans())
        if reasoned or (blocks and isinstance(blocks[-1], Text) and isinstance(block, Text)):
            blocks.append(draw(THOUGHTS))
        blocks.append(block)
    return AssistantMessage(tuple(numbered(blocks)))


def numbered(blocks: list[Block]) -> list[Block]:
    """Give every item an id of its own."""
    made: list[Block] = []
    for place, block in enumerate(blocks):
        match block:
            case ToolCall():
                ids = {"id": f"call_{place}", "opaque": f"fc_{place}"}
                made.append(msgspec.structs.replace(block, **ids))
            case Reasoning(opaque=opaque):
                opaque = opaque.replace("rs_1", f"rs_{place}")
                made.append(msgspec.structs.replace(block, opaque=opaque))
            case _:
                made.append(block)
    return made


@st.composite
def answers(draw: st.DrawFn) -> AssistantMessage:
    message = draw(said())
    usage = draw(USAGES)
    if not message.calls:
        reasons = [StopReason.END, StopReason.LENGTH, StopReason.REFUSAL]
        return AssistantMessage(message.blocks, draw(st.sampled_from(reasons)), usage)
    if draw(st.booleans()):
        return AssistantMessage(message.blocks, StopReason.CALLS, usage)
    last = message.calls[-1]
    cut = msgspec.structs.replace(last, arguments='{"path": "a', complete=False)
    blocks = tuple(cut if block is last else block for block in message.blocks)
    return AssistantMessage(blocks, StopReason.LENGTH, usage)


@given(requests(said()), st.just("") | NAMES)
def test_a_request_survives_the_wire(request: ModelRequest, session: str):
    request = msgspec.structs.replace(request, session_id=session)
    body = openai_responses.encode_request(request, Fragments())
    assert openai_responses.decode_request(body) == request


@given(said())
def test_a_request_is_legal(message: AssistantMessage):
    results = (ToolResult(call.id, Outcome.OK, images=(IMAGE,)) for call in message.calls)
    assert violations(sent(openai_responses, USER, message, *results, USER)) == []


@given(requests(said()))
def test_the_next_request_extends_the_bytes_of_the_one_before(request: ModelRequest):
    fragments = Fragments()
    before = openai_responses.encode_request(request, fragments)
    longer = msgspec.structs.replace(request, messages=(*request.messages, USER))
    after = openai_responses.encode_request(longer, fragments)
    assert after.startswith(before[: -len("]}")])


@given(answers())
def test_a_response_survives_the_wire_whole_and_streamed(message: AssistantMessage):
    body = openai_responses.encode_response(message, "m")
    assert openai_responses.decode_response(body) == message
    assert spoken(openai_responses, message) == message


@given(answers())
def test_the_vendors_own_types_read_what_we_write(message: AssistantMessage):
    body = Response.model_validate_json(openai_responses.encode_response(message, "m"))
    assert len(body.output) == len(message.blocks)
    frames = list(openai_responses.encode_stream(message, "m"))
    events = [EVENT.validate_json(frame.data) for frame in frames]
    assert [event.type for event in events] == [frame.event for frame in frames]
    assert [event.sequence_number for event in events] == list(range(len(events)))
    assert events[-1].response == body


def test_reasoning_goes_back_byte_for_byte_before_what_it_led_to():
    block = thought("why")
    message = AssistantMessage((block, ToolCall("a", "f", "{}", opaque="fc_9")))
    request = ModelRequest("m", "", (USER, message, ToolResult("a", Outcome.OK)))
    body = openai_responses.encode_request(request, Fragments())
    assert block.opaque.encode() in body
    kinds = [item["type"] for item in msgspec.json.decode(body)["input"]]
    assert kinds == ["message", "reasoning", "function_call", "function_call_output"]


@pytest.mark.parametrize("text", ["why", ""])
def test_reasoning_of_a_format_without_items_becomes_an_item(text):
    message = AssistantMessage((Reasoning(text), Text("x")))
    body = Response.model_validate_json(openai_responses.encode_response(message, "m"))
    assert [part.text for part in body.output[0].summary] == ([text] if text else [])
    heard_back = spoken(openai_responses, message)
    assert heard_back.blocks[0].text == text
    assert openai_responses.decode_response(body.model_dump_json().encode()).text == "x"


FORGOTTEN = [
    pytest.param((Text("x"), thought("why")), id="reasoning that led to nothing"),
    pytest.param((thought("why", encrypted_content=None), Text("x")), id="stored elsewhere"),
    pytest.param((Reasoning("why"), Text("x")), id="reasoning of a format without items"),
    pytest.param((Reasoning("why", '{"type":"thinking"}'), Text("x")), id="another codec's"),
    pytest.param((Reasoning("why", "not JSON"), Text("x")), id="unreadable"),
    pytest.param((Text(""), Text("x")), id="empty text"),
]


@pytest.mark.parametrize("blocks", FORGOTTEN)
def test_what_the_server_would_refuse_is_left_out(blocks):
    read = sent(openai_responses, USER, AssistantMessage(blocks), UserMessage(""), USER)
    said = {
        "type": "message",
        "role": "assistant",
        "content": [{"type": "output_text", "text": "x"}],
    }
    assert read["input"][1:-1] == [said]
    assert violations(read) == []


def test_an_assistant_that_said_nothing_is_left_out():
    read = sent(openai_responses, USER, AssistantMessage((thought("why"),)), USER)
    assert len(read["input"]) == 2


WRITTEN = [
    pytest.param(ToolCall("a", "f", "{ }"), {"name": "f", "arguments": "{ }"}, id="its own text"),
    pytest.param(
        ToolCall("a", "f", '{"x'), {"name": "f", "arguments": "{}"}, id="arguments cut off"
    ),
    pytest.param(ToolCall("a", "a.b", "{}"), {"name": "a_b", "arguments": "{}"}, id="illegal name"),
    pytest.param(
        ToolCall("a", "f", "{}", opaque="fc_1"),
        {"id": "fc_1", "name": "f", "arguments": "{}"},
        id="the item's id",
    ),
    pytest.param(
        ToolCall("a", "f", "{}", opaque='{"google":1}'),
        {"name": "f", "arguments": "{}"},
        id="another codec's opaque value",
    ),
]


@pytest.mark.parametrize(("call", "expected"), WRITTEN)
def test_a_call_is_written_so_that_the_next_request_is_accepted(call, expected):
    message = AssistantMessage((call,), StopReason.CALLS)
    read = sent(openai_responses, USER, message, ToolResult("a", Outcome.FAILED, content="no"))
    assert read["input"][1] == {"type": "function_call", "call_id": "a", **expected}
    assert read["input"][2] == {"type": "function_call_output", "call_id": "a", "output": "no"}
    assert violations(read) == []


SETTINGS = [
    pytest.param({}, {}, id="nothing that was not asked for"),
    pytest.param({"system": "be"}, {"instructions": "be"}, id="system"),
    pytest.param({"max_output": 99}, {"max_output_tokens": 99}, id="a limit"),
    pytest.param({"max_output": 1}, {"max_output_tokens": 16}, id="a limit too low for the vendor"),
    pytest.param({"parallel_tool_calls": False}, {}, id="no parallel calls without tools"),
    pytest.param({"session_id": "s"}, {"prompt_cache_key": "s"}, id="a cache key"),
]


@pytest.mark.parametrize(("settings", "expected"), SETTINGS)
def test_settings_are_sent_only_where_they_mean_something(settings, expected):
    read = sent(openai_responses, USER, **settings)
    assert read.pop("input")
    include = ["reasoning.encrypted_content"]
    assert read == {"model": "m", "stream": True, "store": False, "include": include, **expected}


@pytest.mark.parametrize("parallel", [True, False])
def test_tools_are_offered_with_their_schema_as_it_is(parallel):
    tool = ToolSpec("f", "does", SCHEMA)
    request = ModelRequest("m", "", (USER,), (tool,), parallel_tool_calls=parallel)
    body = openai_responses.encode_request(request, Fragments())
    assert b'"parameters":%s,"strict":false' % bytes(SCHEMA) in body
    assert msgspec.json.decode(body)["parallel_tool_calls"] is parallel


FOREIGN = [
    pytest.param("hi", "", (UserMessage("hi"),), id="a sentence"),
    pytest.param([{"role": "user", "content": "hi"}], "", (UserMessage("hi"),), id="no type"),
    pytest.param([{"role": "developer", "content": "be"}], "be", (), id="developer"),
    pytest.param(
        [{"role": "assistant", "content": "a"}, {"role": "assistant", "content": "b"}],
        "",
        (AssistantMessage((Text("a"), Text("b"))),),
        id="one assistant, two items",
    ),
    pytest.param([{"role": "assistant", "content": ""}], "", (), id="silence"),
    pytest.param(
        [{"type": "reasoning", "summary": []}, {"role": "user", "content": "hi"}],
        "",
        (
            AssistantMessage((Reasoning("", '{"type":"reasoning","summary":[]}'),)),
            UserMessage("hi"),
        ),
        id="reasoning without an id",
    ),
]


@pytest.mark.parametrize(("given_input", "system", "messages"), FOREIGN)
def test_requests_of_other_clients_are_read(given_input, system, messages):
    body = {"model": "m", "input": given_input, "tools": [{"type": "function", "name": "f"}]}
    read = openai_responses.decode_request(msgspec.json.encode(body))
    assert (read.system, read.messages) == (system, messages)
    assert msgspec.json.decode(read.tools[0].schema) == {"type": "object", "properties": {}}


UNREADABLE = [
    pytest.param({}, "not the expected JSON", id="no input"),
    pytest.param({"input": [{"type": "item_reference"}]}, "'item_reference'", id="a reference"),
    pytest.param({"input": "x", "tools": [{"type": "mcp"}]}, "'mcp'", id="a tool of the server"),
]


@pytest.mark.parametrize(("body", "message"), UNREADABLE)
def test_a_request_that_cannot_be_held_is_refused(body, message):
    with pytest.raises(WireError, match=message):
        openai_responses.decode_request(msgspec.json.encode({"model": "m", **body}))


def test_a_response_without_output_is_refused():
    with pytest.raises(WireError, match="no output"):
        openai_responses.decode_response(b"{}")


def test_an_error_in_a_response_body_is_the_providers():
    body = b'{"status":"failed","error":{"message":"slow","code":"rate_limit_exceeded"}}'
    with pytest.raises(ProviderError, match="slow") as caught:
        openai_responses.decode_response(body)
    assert caught.value.fault is Fault.RATE_LIMITED

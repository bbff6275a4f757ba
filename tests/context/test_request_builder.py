"""Requests: what is in them, and that each extends the one before."""

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_cli.context.replies import nudge, result_text
from agent_cli.context.request import RequestBuilder, catalogue
from agent_cli.types.messages import (
    AssistantMessage,
    Image,
    NudgeMessage,
    Reasoning,
    Text,
    ToolCall,
    ToolResult,
    UserMessage,
)
from agent_cli.types.outcomes import Code, Nudge, Outcome
from agent_cli.types.requests import Protocol, ToolSpec

READ = ToolSpec("read_file", "Read a file.", msgspec.Raw(b'{"type":"object","properties":{}}'))


def build(builder, messages, **given):
    fields = {
        "model": "m",
        "system": "s",
        "tools": (READ,),
        "max_output": 100,
        "parallel": True,
        "protocol": Protocol.NATIVE,
        "session_id": "id",
    }
    return builder.build(messages=tuple(messages), **{**fields, **given})


def test_the_fields_go_into_the_request():
    request = build(RequestBuilder(), [UserMessage("hello")])
    assert (request.model, request.system, request.max_output) == ("m", "s", 100)
    assert (request.tools, request.session_id) == ((READ,), "id")
    assert request.messages == (UserMessage("hello"),)


PARALLEL = [
    pytest.param({"parallel": True}, True, id="native, several calls"),
    pytest.param({"parallel": False}, False, id="native, one call"),
    pytest.param({"parallel": True, "tools": ()}, None, id="no tools, nothing to say"),
    pytest.param({"parallel": True, "protocol": Protocol.XML}, None, id="xml"),
]


@pytest.mark.trap("T-19")
@pytest.mark.parametrize(("given", "expected"), PARALLEL)
def test_parallel_calls_are_spoken_of_only_where_it_means_something(given, expected):
    assert build(RequestBuilder(), [], **given).parallel_tool_calls is expected


@pytest.mark.parametrize("protocol", Protocol)
def test_nudges_and_results_are_put_into_words(protocol):
    result = ToolResult(
        "c1", Outcome.FAILED, Code.INVALID_ARGUMENTS, "bad", (Image("i/p", "eA=="),)
    )
    request = build(RequestBuilder(), [NudgeMessage(Nudge.NO_TOOL), result], protocol=protocol)
    first, second = request.messages
    assert first == UserMessage(nudge(Nudge.NO_TOOL, protocol))
    assert second.content == result_text(result, protocol)
    assert msgspec.structs.replace(second, content="bad") == result


CALL = "I read it.\n<read_file>\n<path>a</path>\n</read_file>"
WRITTEN = [
    pytest.param(CALL, Nudge.NO_TOOL, Protocol.NATIVE, True, id="a call between tags"),
    pytest.param(CALL, Nudge.NO_TOOL, Protocol.XML, False, id="where tags are calls"),
    pytest.param(CALL, Nudge.CUT_OFF, Protocol.NATIVE, False, id="cut off"),
    pytest.param("<read_file>", Nudge.NO_TOOL, Protocol.NATIVE, False, id="an open tag"),
    pytest.param("<b>x</b>", Nudge.NO_TOOL, Protocol.NATIVE, False, id="other tags"),
    pytest.param("I read it.", Nudge.NO_TOOL, Protocol.NATIVE, False, id="words"),
]


@pytest.mark.trap("T-34")
@pytest.mark.parametrize(("text", "code", "protocol", "said"), WRITTEN)
def test_a_call_that_was_only_written_is_named(text, code, protocol, said):
    messages = [AssistantMessage((Text(text),)), NudgeMessage(code)]
    *_, told = build(RequestBuilder(), messages, protocol=protocol).messages
    assert told.text.endswith(nudge(code, protocol))
    assert ("a call of read_file in it" in told.text) is said


EMPTY = [
    pytest.param((), True, id="no blocks"),
    pytest.param((Text(""), Text(" \n")), True, id="white space"),
    pytest.param((Text("a"),), False, id="text"),
    pytest.param((Reasoning("", "signature"),), False, id="reasoning"),
    pytest.param((ToolCall("c1", "read_file", "{}"),), False, id="a call"),
]


@pytest.mark.parametrize(("blocks", "left_out"), EMPTY)
def test_a_message_in_which_nothing_was_said_is_left_out(blocks, left_out):
    messages = [UserMessage("a"), AssistantMessage(blocks), NudgeMessage(Nudge.EMPTY)]
    assert len(build(RequestBuilder(), messages).messages) == (2 if left_out else 3)


def test_a_protocol_has_its_own_words_for_the_same_message():
    builder, asked = RequestBuilder(), NudgeMessage(Nudge.NO_TOOL)
    native = build(builder, [asked]).messages
    xml = build(builder, [asked], protocol=Protocol.XML).messages
    assert native != xml


def test_only_xml_has_a_catalogue():
    assert catalogue(Protocol.NATIVE, (READ,)) == ""
    assert "read_file" in catalogue(Protocol.XML, (READ,))


recorded = st.one_of(
    st.builds(UserMessage, st.text()),
    st.builds(AssistantMessage, st.lists(st.builds(Text, st.text()), max_size=2).map(tuple)),
    st.builds(NudgeMessage, st.sampled_from(Nudge)),
    st.builds(
        ToolResult,
        st.text(),
        st.sampled_from(Outcome),
        st.none() | st.sampled_from(Code),
        st.text(),
    ),
)


@given(st.lists(recorded), st.lists(recorded), st.sampled_from(Protocol))
def test_what_is_appended_leaves_the_objects_before_it_the_same(before, after, protocol):
    builder = RequestBuilder()
    first = build(builder, before, protocol=protocol).messages
    second = build(builder, before + after, protocol=protocol).messages
    assert len(second) >= len(first)
    assert all(old is new for old, new in zip(first, second, strict=False))


@given(st.lists(recorded, max_size=5), st.sampled_from(Protocol))
def test_another_process_builds_an_equal_request(messages, protocol):
    copied = msgspec.json.decode(
        msgspec.json.encode(messages),
        type=list[UserMessage | AssistantMessage | ToolResult | NudgeMessage],
    )
    assert build(RequestBuilder(), messages, protocol=protocol) == build(
        RequestBuilder(), copied, protocol=protocol
    )


SEALED = AssistantMessage(
    (
        Reasoning("hm", '{"signature":"x"}'),
        Text("I look."),
        ToolCall("a", "read_file", "{}", opaque="<read_file></read_file>"),
    ),
    by="other/model",
)
ASKED = UserMessage("look")
READABLE = {
    "the model that said it gets it back unchanged": ("other/model", Protocol.NATIVE, (1, 1)),
    "another one gets what it can read": ("third/model", Protocol.NATIVE, (0, 0)),
    "so does the first one": ("", Protocol.NATIVE, (0, 0)),
    "a call in XML is its own text": ("", Protocol.XML, (0, 1)),
}


@pytest.mark.parametrize(("speaker", "protocol", "kept"), READABLE.values(), ids=READABLE)
def test_what_a_model_has_sealed_is_only_for_itself(speaker, protocol, kept):
    request = build(RequestBuilder(), [ASKED, SEALED], speaker=speaker, protocol=protocol)
    reasoning, text, call = request.messages[1].blocks
    thought, _, made = SEALED.blocks
    assert (reasoning.opaque, call.opaque) == (thought.opaque * kept[0], made.opaque * kept[1])
    assert (reasoning.text, text, call.name, call.arguments) == (
        "hm",
        Text("I look."),
        "read_file",
        "{}",
    )


def test_one_model_after_another_extends_its_own_requests():
    builder = RequestBuilder()
    first = build(builder, [ASKED, SEALED], speaker="other/model").messages
    other = build(builder, [ASKED, SEALED]).messages
    again = build(builder, [ASKED, SEALED, ASKED], speaker="other/model").messages
    assert all(one is two for one, two in zip(first, again, strict=False))
    assert other[1] is not first[1]
    assert build(builder, [ASKED, SEALED, ASKED]).messages[1] is other[1]

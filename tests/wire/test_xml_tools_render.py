"""How calls and results become text, the same each time."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from testbed.xml_calls import TOOLS, said

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
from agent_cli.types.requests import ModelRequest
from agent_cli.types.usage import Usage
from agent_cli.wire.xml_tools import render

RAW = "<read_file>\n<path> a </path>\n</read_file>"
CALL = ToolCall("1", "read_file", '{"path":"a"}', opaque=RAW)

CALLS = [
    pytest.param(CALL, RAW, id="as the model wrote it"),
    pytest.param(ToolCall("1", "read_file", '{"path":"a","lines":3}', opaque='{"id":1}'),
                 "<read_file>\n<path>a</path>\n<lines>3</lines>\n</read_file>",
                 id="what another wire had to keep is no XML"),
    pytest.param(ToolCall("1", "read_files", '{"files":["a","b"],"x":null,"y":true}'),
                 '<read_files>\n<files>["a","b"]</files>\n<y>true</y>\n</read_files>',
                 id="JSON, and null left out"),
    pytest.param(ToolCall("1", "write_to_file", '{"content":"a\\nb"}'),
                 "<write_to_file>\n<content>\na\nb\n</content>\n</write_to_file>", id="lines"),
    pytest.param(ToolCall("1", "check", "{}"), "<check>\n</check>", id="no parameters"),
    pytest.param(ToolCall("1", "read_file", '{"path":', complete=False),
                 "<read_file>\n</read_file>", id="cut off"),
]  # fmt: skip


@pytest.mark.parametrize(("call", "expected"), CALLS)
def test_a_call_as_text(call, expected):
    assert render.call(call) == expected


RESULTS = [
    pytest.param(ToolResult("1", Outcome.OK, content="1 | x"),
                 UserMessage("[read_file] Result:\n1 | x"), id="ok"),
    pytest.param(ToolResult("1", Outcome.FAILED, content="no such file"),
                 UserMessage("[read_file] Result (failed):\nno such file"), id="failed"),
    pytest.param(ToolResult("1", Outcome.OK),
                 UserMessage("[read_file] Result:\n(the tool returned nothing)"), id="empty"),
    pytest.param(ToolResult("1", Outcome.OK, content="x", images=(Image("image/png", "AA=="),)),
                 UserMessage("[read_file] Result:\nx", (Image("image/png", "AA=="),)),
                 id="images stay images"),
]  # fmt: skip


@pytest.mark.parametrize(("result", "expected"), RESULTS)
def test_a_result_as_text(result, expected):
    assert render.result(result, "read_file") == expected


def test_an_assistant_message_keeps_its_order_and_everything_but_the_calls():
    thought = Reasoning("hm", "sig")
    usage = Usage(input_tokens=3)
    message = AssistantMessage(
        (thought, Text("On it.\n"), CALL, Text("\nDone.")), StopReason.CALLS, usage
    )
    blocks = (thought, Text(f"On it.\n{RAW}\nDone."))
    assert render.assistant(message) == AssistantMessage(blocks, StopReason.CALLS, usage)
    assert render.assistant(AssistantMessage((CALL, thought))).blocks == (Text(RAW), thought)


def conversation(*more: UserMessage) -> ModelRequest:
    return ModelRequest(
        model="m",
        system="s",
        messages=(*MESSAGES, *more),
        tools=TOOLS,
        max_output=9,
        parallel_tool_calls=False,
        session_id="i",
    )


MESSAGES = (
    UserMessage("Read a."),
    AssistantMessage((CALL,)),
    ToolResult("1", Outcome.OK, content="A"),
    AssistantMessage((Text("It says A."),)),
    ToolResult("?", Outcome.OK, content="B"),
)


def test_a_request_becomes_text_without_tools():
    assert render.Renderer().request(conversation()) == ModelRequest(
        model="m",
        system="s",
        messages=(
            UserMessage("Read a."),
            AssistantMessage((Text(RAW),)),
            UserMessage("[read_file] Result:\nA"),
            AssistantMessage((Text("It says A."),)),
            UserMessage("[tool] Result:\nB"),
        ),
        max_output=9,
        session_id="i",
    )


def test_the_same_message_gives_the_same_object_every_time():
    renderer = render.Renderer()
    first = renderer.request(conversation()).messages
    second = renderer.request(conversation(UserMessage("more"))).messages
    assert [id(message) for message in first] == [id(message) for message in second[:-1]]


WORDS = st.text(alphabet=st.sampled_from('a b\n<>/é"\\'), max_size=30)


@given(content=WORDS, files=st.lists(WORDS))
def test_a_rendered_call_decodes_to_its_arguments(content, files):
    for name, arguments in [
        ("write_to_file", {"path": "p", "content": content}),
        ("read_files", {"files": files}),
    ]:
        text = render.call(ToolCall("1", name, json.dumps(arguments)))
        assert said(text) == [(name, arguments)]

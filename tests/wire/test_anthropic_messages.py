"""Requests and whole responses in the Messages format."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from testbed.anthropic_values import SCHEMA, conversations, requests
from testbed.validators.anthropic_messages import violations

from agent_cli.types.errors import WireError
from agent_cli.types.messages import (
    AssistantMessage,
    Image,
    Reasoning,
    Text,
    ToolCall,
    ToolResult,
    UserMessage,
)
from agent_cli.types.outcomes import Code, Outcome
from agent_cli.types.requests import ModelRequest, ToolSpec
from agent_cli.wire import anthropic_messages as codec
from agent_cli.wire.anthropic_messages.request import CACHE_MARK
from agent_cli.wire.frames import Fragments

ASKED = UserMessage("hi")
THOUGHT = Reasoning("hm", '{"signature":"s", "type":"thinking","thinking":"hm"}')
IMAGE = Image("image/png", "aGk=")
TOOL = ToolSpec("a", "Does.", SCHEMA)
MARK = {"cache_control": {"type": "ephemeral"}}


def encode(*messages, fragments=None, **fields) -> bytes:
    request = ModelRequest("m", fields.pop("system", ""), messages, **fields)
    return codec.encode_request(request, fragments or Fragments())


def sent(*messages, **fields):
    return json.loads(encode(*messages, **fields))


def blocks(*messages) -> list[list[object]]:
    """Content of each wire message, without the cache mark."""
    request = json.loads(encode(*messages).replace(CACHE_MARK, b"}"))
    return [message["content"] for message in request["messages"]]


@given(requests())
def test_a_request_survives_the_wire(request):
    assert codec.decode_request(codec.encode_request(request, Fragments())) == request


@given(conversations(messy=True), st.sampled_from(["", " ", "s"]))
def test_whatever_a_session_holds_is_a_valid_request(messages, system):
    assert violations(sent(*messages, tools=(TOOL,), system=system)) == []


@given(conversations(messy=True))
def test_a_request_begins_with_the_one_before_it(messages):
    fragments = Fragments()
    before = b""
    for end in range(1, len(messages) + 1):
        body = encode(*messages[:end], fragments=fragments)
        assert body == encode(*messages[:end])
        unmarked = body.replace(CACHE_MARK, b"}")
        assert unmarked.startswith(before)
        before = unmarked.removesuffix(b"]}]}")


@given(conversations(messy=True))
def test_decoding_and_encoding_again_changes_nothing(messages):
    body = encode(*messages)
    again = codec.encode_request(codec.decode_request(body), Fragments())
    assert again == body


def test_the_whole_of_a_request():
    request = sent(ASKED, system="be", tools=(TOOL, TOOL), parallel_tool_calls=False, max_output=5)
    tool = {"name": "a", "description": "Does.", "input_schema": json.loads(bytes(SCHEMA))}
    assert request == {
        "model": "m",
        "max_tokens": 5,
        "stream": True,
        "system": [{"type": "text", "text": "be", **MARK}],
        "tools": [tool, tool | MARK],
        "tool_choice": {"type": "auto", "disable_parallel_tool_use": True},
        "messages": [{"role": "user", "content": [{"type": "text", "text": "hi", **MARK}]}],
    }


def test_what_is_not_asked_for_is_not_sent():
    assert set(sent(ASKED)) == {"model", "max_tokens", "stream", "messages"}
    assert sent(ASKED)["max_tokens"] == 8192


@pytest.mark.trap("T-19")
@pytest.mark.parametrize(
    ("tools", "parallel"),
    [((), False), ((TOOL,), None), ((TOOL,), True)],
    ids=["no tools", "not said", "several"],
)
def test_a_tool_choice_is_sent_only_to_forbid_parallel_calls(tools, parallel):
    assert "tool_choice" not in sent(ASKED, tools=tools, parallel_tool_calls=parallel)


def test_what_the_request_before_marked_last_is_marked_again():
    calls = tuple(ToolCall(f"c{number}", "read_file", "{}") for number in range(30))
    results = [ToolResult(call.id, Outcome.OK, content="x") for call in calls]
    told = [UserMessage("a"), AssistantMessage(calls), *results]
    said = [AssistantMessage((Text("b"),)), UserMessage("c")]

    def marked(*messages):
        turns = json.loads(encode(*messages))["messages"]
        return [at for at, turn in enumerate(turns) if MARK.items() <= turn["content"][-1].items()]

    assert marked(told[0]) == [0]
    assert marked(*told) == [0, 2]
    assert marked(*told, *said) == [2, 4]


def test_the_last_block_of_the_last_user_message_is_marked():
    messages = sent(ASKED, UserMessage("a", (IMAGE,)), AssistantMessage((Text("b"),)))["messages"]
    marks = [["cache_control" in block for block in message["content"]] for message in messages]
    assert marks == [[False, False, True], [False]]


RESULT = ToolResult("c", Outcome.OK, content="done")
ERROR = {"type": "tool_result", "tool_use_id": "c", "is_error": True}
CONTENT = [
    pytest.param(RESULT, {"content": "done"}, id="text"),
    pytest.param(ToolResult("c", Outcome.OK, content=" "), {}, id="blank"),
    pytest.param(
        ToolResult("c", Outcome.OK, content="a", images=(IMAGE,)),
        {
            "content": [
                {"type": "text", "text": "a"},
                {
                    "type": "image",
                    "source": {"type": "base64", "media_type": "image/png", "data": "aGk="},
                },
            ]
        },
        id="images are inside",
    ),
    pytest.param(ToolResult("c", Outcome.DENIED, content="no"), ERROR | {"content": "no"}, id="no"),
    pytest.param(
        ToolResult("c", Outcome.FAILED, content="no", images=(IMAGE,)),
        ERROR | {"content": "no"},
        id="an error is text only",
    ),
    pytest.param(
        ToolResult("c", Outcome.FAILED, Code.TIMED_OUT), ERROR | {"content": "timed_out"}, id="code"
    ),
    pytest.param(
        ToolResult("c", Outcome.UNKNOWN), ERROR | {"content": "unknown"}, id="no words at all"
    ),
]


@pytest.mark.parametrize(("result", "fields"), CONTENT)
def test_a_result(result, fields):
    assert blocks(result) == [[{"type": "tool_result", "tool_use_id": "c", **fields}]]


@pytest.mark.trap("T-11", "T-32")
def test_results_come_first_and_share_a_message_with_the_words_after_them():
    said = AssistantMessage((ToolCall("c", "x", "{}"), ToolCall("d", "x", "{}")))
    other = ToolResult("d", Outcome.OK, content="too")
    _, _, last = blocks(ASKED, said, ASKED, RESULT, other, UserMessage(" "), ASKED)
    assert [block.get("tool_use_id") or block["text"] for block in last] == ["c", "d", "hi", "hi"]


@pytest.mark.parametrize(
    "silent",
    [
        (),
        (Text(" \n"),),
        (Reasoning("hm"),),
        (Reasoning("hm", '{"type":"reasoning"}'),),
        (Reasoning("hm", "{"),),
        (THOUGHT,),
    ],
    ids=["nothing", "blank", "unsigned", "foreign", "not JSON", "only thinking"],
)
def test_a_message_without_anything_to_say_is_not_sent(silent):
    assert blocks(ASKED, AssistantMessage(silent), ASKED) == [[{"type": "text", "text": "hi"}] * 2]


def test_thinking_is_returned_byte_for_byte_in_its_place():
    said = AssistantMessage((THOUGHT, Text("a"), ToolCall("c", "x", "{}"), THOUGHT))
    assert THOUGHT.opaque.encode() in encode(ASKED, said)
    assert [block["type"] for block in blocks(said)[0]] == ["thinking", "text", "tool_use"]


@pytest.mark.parametrize(
    ("arguments", "sent_as"),
    [
        ('{ "b":1e2,"a" : "\\u00e9" }', '{ "b":1e2,"a" : "\\u00e9" }'),
        ("", "{}"),
        ("[1]", "{}"),
        ('{"a":', "{}"),
        ('{"a":"\\ud800"}', "{}"),
        ('{"a":' * 5000, "{}"),
    ],
    ids=["verbatim", "empty", "array", "cut off", "lone surrogate", "too deep"],
)
def test_arguments_are_sent_as_they_are_if_they_are_an_object(arguments, sent_as):
    said = AssistantMessage((ToolCall("c", "x", arguments),))
    assert b'"name":"x","input":%b}' % sent_as.encode() in encode(ASKED, said)


def decode(*messages, **fields) -> ModelRequest:
    return codec.decode_request(json.dumps({"model": "m", "messages": messages, **fields}).encode())


def user(*content):
    return {"role": "user", "content": list(content)}


def test_short_forms_are_understood():
    said = {"role": "assistant", "content": "yes"}
    request = decode(
        {"role": "user", "content": "hi"},
        said,
        system=[{"type": "text", "text": "a"}, {"type": "text", "text": "b"}],
    )
    assert request.messages == (ASKED, AssistantMessage((Text("yes"),)))
    assert request.system == "a\n\nb"
    assert decode(system="a").system == "a"


def test_texts_of_a_result_are_joined_and_thinking_without_signature_stays_readable():
    content = [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]
    result = {"type": "tool_result", "tool_use_id": "c", "content": content}
    thinking = {"type": "thinking", "thinking": "hm"}
    said, answered = decode({"role": "assistant", "content": [thinking]}, user(result)).messages
    assert answered == ToolResult("c", Outcome.OK, content="a\nb")
    assert said == AssistantMessage((Reasoning("hm"),))


REFUSED = [
    pytest.param(
        [user({"type": "document"})], {}, "user's block of type 'document'", id="document"
    ),
    pytest.param([user({"type": "image"})], {}, "image from ''", id="no source"),
    pytest.param(
        [user({"type": "image", "source": {"type": "url"}})], {}, "image from 'url'", id="url"
    ),
    pytest.param(
        [user({"type": "tool_result", "content": [{"type": "search"}]})],
        {},
        "result's block of type 'search'",
        id="result",
    ),
    pytest.param(
        [{"role": "assistant", "content": [{"type": "server_tool_use"}]}],
        {},
        "assistant's block of type 'server_tool_use'",
        id="server tool use",
    ),
    pytest.param([{"role": "system", "content": "a"}], {}, "role 'system'", id="role"),
    pytest.param([], {"tools": [{"name": "bash", "type": "bash_1"}]}, "tool 'bash'", id="tool"),
    pytest.param([user({"text": "a"})], {}, "not a Messages request", id="no type"),
]


@pytest.mark.parametrize(("messages", "fields", "words"), REFUSED)
def test_what_cannot_be_held_is_refused(messages, fields, words):
    with pytest.raises(WireError, match=words):
        decode(*messages, **fields)


@pytest.mark.parametrize("body", [b"", b"[]", b"{}", b'{"model":"\xff"}'])
def test_other_bytes_are_refused(body):
    with pytest.raises(WireError, match="not a Messages request"):
        codec.decode_request(body)

"""How servers of the Chat Completions format stream calls, one row per habit."""

import pytest
from testbed.chat_chunks import CALLED, COUNTED, DONE, chunk, counted, piece
from testbed.openai_values import heard

from agent_cli.types.events import MessageEnd, ToolCallBegin, ToolCallDelta, ToolCallEnd
from agent_cli.types.messages import StopReason, ToolCall
from agent_cli.wire import openai_chat

X = ToolCall("a", "f", '{"x":1}')
Y = ToolCall("b", "g", '{"y":2}')

CALLS = [
    pytest.param(
        [piece(0, "a", "f", ""), piece(0, arguments='{"x"'), piece(0, arguments=":1}")],
        [X],
        id="as the vendor does: the id only on the first piece",
    ),
    pytest.param(
        [piece(0, "a", "f", '{"x"'), piece(0, "a", "f", ":1}"), piece(0, "a", "f", "")],
        [X],
        id="id and name on every piece",
    ),
    pytest.param(
        [piece(0, "a", "f", '{"x":1}'), piece(0, "b", "g", '{"y":2}')],
        [X, Y],
        id="every call has index 0, told apart by id",
    ),
    pytest.param(
        [piece(0, "a", "f", '{"x":1}'), piece(0, "b", "g", '{"y":2}'), piece(0, "a", arguments="")],
        [X, Y],
        id="an id that comes again after another one",
    ),
    pytest.param(
        [piece(0, "", "f", '{"x":1}'), piece(0, "", "g", '{"y":2}')],
        [ToolCall("call_1", "f", '{"x":1}'), ToolCall("call_2", "g", '{"y":2}')],
        id="every call has index 0 and no id, told apart by name",
    ),
    pytest.param(
        [piece(0, None, "f", '{"x"'), piece(0, None, "f", ":1}"), piece(0, None, "f", "")],
        [ToolCall("call_1", "f", '{"x":1}')],
        id="no id, and the name on every piece",
    ),
    pytest.param(
        [piece(0, None, "f", '{"x"'), piece(0, "a", None, ":1}")],
        [ToolCall("call_1", "f", '{"x":1}')],
        id="the id comes after the call was begun",
    ),
    pytest.param(
        [piece(0, "a", None, '{"x"'), piece(0, None, "f"), piece(0, None, None, ":1}")],
        [X],
        id="the name comes after arguments",
    ),
    pytest.param(
        [piece(0, "a", "f"), piece(0, None, "g", '{"x":1}')],
        [X],
        id="a later name does not rename a begun call",
    ),
    pytest.param(
        [
            piece(None, "a", "f", '{"x"'),
            piece(None, None, None, ":1}"),
            piece(None, "b", "g", "{}"),
        ],
        [X, ToolCall("b", "g", "{}")],
        id="no index",
    ),
    pytest.param(
        [
            piece(0, "a", "f", '{"x"'),
            piece(1, "b", "g", '{"y"'),
            piece(0, arguments=":1}"),
            piece(1, arguments=":2}"),
        ],
        [X, Y],
        id="two calls, piece by piece in turn",
    ),
    pytest.param(
        [piece(0, "a", "f", {"x": 1}), piece(1, "b", "g", '{"y":2}')],
        [X, Y],
        id="arguments as an object instead of its text",
    ),
    pytest.param(
        [piece(0, "a", None, "{}")],
        [ToolCall("a", "unnamed", "{}")],
        id="a call that never gets a name is reported",
    ),
    pytest.param(
        [piece(0, "a", "", "{}"), piece(1, "b", "g", '{"y":2}')],
        [ToolCall("a", "unnamed", "{}"), Y],
        id="a call without a name keeps its place",
    ),
    pytest.param(
        [piece(0, "a", "", "{}"), piece(0, "b", "g", '{"y":2}')],
        [ToolCall("a", "unnamed", "{}"), Y],
        id="a call without a name, ended by another id",
    ),
    pytest.param(
        [piece(0, "a", None, '{"x"'), piece(1, "b", "g", '{"y":2}'), piece(0, None, "f", ":1}")],
        [X, Y],
        id="the name comes after another call was begun",
    ),
    pytest.param(
        [piece(0), piece(1, "b", "g", '{"y":2}')], [Y], id="a call after a piece that says nothing"
    ),
    pytest.param([piece(0)], [], id="a piece that says nothing"),
    pytest.param(
        [chunk({"tool_calls": [{"index": 0, "id": "a"}]}), piece(0, None, "f", '{"x":1}')],
        [X],
        id="a piece without a function",
    ),
    pytest.param(
        [piece(0, "a", "f", '{"x":1}', extra_content={"sig": 1})],
        [ToolCall("a", "f", '{"x":1}', opaque='{"sig":1}')],
        id="a thought signature is kept",
    ),
    pytest.param(
        [
            chunk({"function_call": {"name": "f", "arguments": '{"x"'}}),
            chunk({"function_call": {"arguments": ":1}"}}),
        ],
        [ToolCall("call_1", "f", '{"x":1}')],
        id="a function call of the old form",
    ),
    pytest.param(
        [piece(0, "a", "f", '{"x"'), CALLED, piece(0, arguments=":1}")],
        [X],
        id="arguments after the finish reason",
    ),
]


@pytest.mark.trap("T-20")
@pytest.mark.parametrize(("frames", "calls"), CALLS)
def test_calls_are_put_together_whatever_the_server_does(frames, calls):
    message = heard(openai_chat, [*frames, CALLED, counted()])
    assert list(message.calls) == calls


def test_every_delta_comes_at_once_and_in_order():
    decoder = openai_chat.decoder()
    assert decoder.decode(piece(0, "a", "f", "{")) == (
        ToolCallBegin(0, "a", "f"),
        ToolCallDelta(0, "{"),
    )
    assert decoder.decode(piece(0, "b", "g", "")) == (ToolCallEnd(0), ToolCallBegin(1, "b", "g"))
    assert decoder.decode(CALLED) == ()
    end = MessageEnd(StopReason.CALLS, COUNTED)
    assert decoder.decode(counted()) == (ToolCallEnd(1), end)
    assert decoder.finished
    assert decoder.decode(DONE) == ()
    assert decoder.eof() == ()

"""How servers of the Responses format stream calls, one row per habit."""

import msgspec
import pytest
from testbed.openai_values import heard
from testbed.responses_events import (
    A_DONE,
    B_DONE,
    XY,
    A,
    B,
    X,
    Y,
    added,
    call,
    completed,
    done,
    piece,
    told,
)

from agent_cli.types.events import MessageEnd, ToolCallBegin, ToolCallDelta, ToolCallEnd
from agent_cli.types.messages import StopReason, ToolCall
from agent_cli.types.usage import Usage
from agent_cli.wire import openai_responses

CALLS = [
    pytest.param(
        [
            added(A, 0),
            piece('{"x"', 0, "fc_1"),
            piece(":1}", 0, "fc_1"),
            told('{"x":1}', 0, "fc_1"),
            done(A_DONE, 0),
        ],
        [X],
        id="as the vendor does: everything three times",
    ),
    pytest.param([added(A, 0), done(A_DONE, 0)], [X], id="no deltas"),
    pytest.param([done(A_DONE, 0)], [X], id="nothing but the whole item"),
    pytest.param([added(A, 0), told('{"x":1}', 0)], [X], id="an item that is never done"),
    pytest.param([added(A_DONE, 0)], [X], id="arguments in the added item only"),
    pytest.param([piece('{"x":1}', 0), added(A, 0), done(A_DONE, 0)], [X], id="deltas first"),
    pytest.param([added(A, 0), added(B, 1), *XY], [X, Y], id="two calls in turn"),
    pytest.param(
        [added(A, 0), *XY[:1], XY[2], done(A_DONE, 0), done(A_DONE, 0), *XY[:1], done(A_DONE, 7)],
        [X],
        id="a call told again after its end",
    ),
    pytest.param(
        [
            added(A, 0),
            piece('{"x":1}', 0),
            done(A_DONE, 0),
            added(B, 0),
            piece('{"y":2}', 0),
            done(B_DONE, 0),
        ],
        [X, Y],
        id="every item has output index 0",
    ),
    pytest.param(
        [
            added(A, 0),
            piece('{"x"', 0, "zz"),
            piece(":1}", 0, "yy"),
            done({**A_DONE, "id": "fc_9"}, 0),
        ],
        [msgspec.structs.replace(X, opaque="fc_9")],
        id="item ids that change with every event",
    ),
    pytest.param(
        [
            added(A),
            piece('{"x"', item_id="fc_1"),
            added(B),
            piece('{"y":2}', item_id="fc_2"),
            piece(":1}", item_id="fc_1"),
            done(A_DONE),
            done(B_DONE),
        ],
        [X, Y],
        id="no output index: by item id",
    ),
    pytest.param(
        [added(A), piece('{"x":1}'), done(A_DONE), added(B), piece('{"y":2}', item_id="zz")],
        [X, Y],
        id="neither index nor a known id: the last one",
    ),
    pytest.param(
        [done(call("fc_1", None, "f", "{}"), 0)],
        [ToolCall("fc_1", "f", "{}", opaque="fc_1")],
        id="no call id: the item's id",
    ),
    pytest.param(
        [added(call(None, "a", None), 0), done(call(None, "a", "f", {"x": 1}), 0)],
        [ToolCall("a", "f", '{"x":1}')],
        id="the name comes last, the arguments as an object",
    ),
    pytest.param(
        [added(call(None, "a", ""), 0), piece("{}", 0)],
        [ToolCall("a", "unnamed", "{}")],
        id="a call that never gets a name is reported",
    ),
    pytest.param(
        [done(call("fc_1", "a", "f", '{"x', status="incomplete"), 0)],
        [ToolCall("a", "f", '{"x', complete=False, opaque="fc_1")],
        id="an item that says it is not whole",
    ),
    pytest.param(
        [added(A, 0), piece("", 0), done(A_DONE, 0)], [X], id="an empty delta is no delta"
    ),
]


@pytest.mark.trap("T-20", "T-21")
@pytest.mark.parametrize(("frames", "calls"), CALLS)
def test_every_call_is_made_once_whatever_the_server_does(frames, calls):
    assert list(heard(openai_responses, [*frames, completed()]).calls) == calls


def test_every_delta_comes_at_once_and_in_order():
    decoder = openai_responses.decoder()
    assert decoder.decode(added(A, 0)) == (ToolCallBegin(0, "a", "f", "fc_1"),)
    assert decoder.decode(piece('{"x":1}', 0)) == (ToolCallDelta(0, '{"x":1}'),)
    assert decoder.decode(done(A_DONE, 0)) == (ToolCallEnd(0, "fc_1"),)
    assert decoder.decode(done(A_DONE, 0)) == ()
    assert decoder.eof() == ()
    assert not decoder.finished
    end = MessageEnd(StopReason.CALLS, Usage(5, 2, 3))
    assert decoder.decode(completed()) == (end,)
    assert decoder.finished
    assert decoder.decode(completed()) == ()

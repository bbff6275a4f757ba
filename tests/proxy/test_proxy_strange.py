"""One thing is not what it should be: replies and histories are read as far as possible."""

import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from testbed.exchange import ANTHROPIC_MESSAGES, OPENAI_CHAT, OPENAI_RESPONSES
from testbed.proxy_cells import both_of_each_wire

from agent_cli.proxy.dialects import chat, messages, responses
from agent_cli.proxy.dialects.base import StreamCutError, encoded
from agent_cli.proxy.dialects.dialect import Dialect
from agent_cli.proxy.dialects.turns import Round, Turn, View
from agent_cli.types.errors import WireError
from agent_cli.wire.frames import Frame
from agent_cli.wire.sse import write_event

DIALECTS: dict[str, Dialect] = {
    OPENAI_CHAT: chat,
    OPENAI_RESPONSES: responses,
    ANTHROPIC_MESSAGES: messages,
}
CALL = {"id": "c", "type": "function", "function": {"name": "f", "arguments": "{}"}}
SAID = {"role": "assistant", "content": "hi", "reasoning_content": "r", "tool_calls": [CALL]}
REPLIES: dict[str, Any] = {
    OPENAI_CHAT: {
        "id": "x", "model": "m", "usage": {"prompt_tokens": 1},
        "choices": [{"index": 0, "finish_reason": "tool_calls", "message": SAID}],
    },
    OPENAI_RESPONSES: {
        "id": "x", "model": "m", "usage": {"input_tokens": 1}, "status": "completed",
        "output": [
            {"id": "r", "type": "reasoning", "summary": [], "encrypted_content": "e"},
            {"type": "message", "content": [{"type": "output_text", "text": "hi"}]},
            {"type": "function_call", "call_id": "c", "name": "f", "arguments": "{}"},
        ],
    },
    ANTHROPIC_MESSAGES: {
        "id": "x", "model": "m", "usage": {"input_tokens": 1}, "stop_reason": "tool_use",
        "content": [
            {"type": "thinking", "thinking": "t", "signature": "s"},
            {"type": "text", "text": "hi"},
            {"type": "tool_use", "id": "c", "name": "f", "input": {}},
        ],
    },
}  # fmt: skip
HISTORIES: dict[str, Any] = {
    OPENAI_CHAT: [SAID, {"role": "tool", "tool_call_id": "c", "content": "r"}],
    OPENAI_RESPONSES: [
        *REPLIES[OPENAI_RESPONSES]["output"],
        {"type": "function_call_output", "call_id": "c", "output": "r"},
    ],
    ANTHROPIC_MESSAGES: [
        {"role": "assistant", "content": REPLIES[ANTHROPIC_MESSAGES]["content"]},
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "c", "content": "r"}]},
    ],
}
ODD = st.sampled_from([None, 1, -1, "x", "", [], {}, [1], [[]], [None], {"a": 1}, True, 1.5])
PLACE = st.integers(0, 200)


def changed(value: Any, place: int, odd: object) -> Any:
    """The value with one of its members, however deep, replaced."""
    made = json.loads(json.dumps(value))
    holders = [(made, key) for key in _keys(made)]
    for holder, key in holders:
        holders += [(holder[key], inner) for inner in _keys(holder[key])]
    holder, key = holders[place % len(holders)]
    holder[key] = odd
    return made


def _keys(value: Any) -> list[Any]:
    if isinstance(value, dict):
        return list(value)
    return list(range(len(value))) if isinstance(value, list) else []


def shown(turn: Turn) -> Round:
    return Round(turn, View(), tuple(range(len(turn.calls))), last=True)


@both_of_each_wire
@given(PLACE, ODD)
def test_a_strange_reply_is_given_as_it_is_or_refused(wire: str, place: int, odd: object):
    dialect = DIALECTS[wire]
    try:
        turn = dialect.read(json.dumps(changed(REPLIES[wire], place, odd)).encode())
    except WireError:
        return
    json.loads(dialect.compose([Round(turn, View()), shown(turn)], turn.usage, {}))
    assert list(dialect.replay(turn))
    assert isinstance(dialect.said(turn, range(len(turn.calls))), list)


@both_of_each_wire
@given(st.integers(0, 50), PLACE, ODD)
def test_a_strange_event_passes_or_ends_the_stream(wire: str, number: int, place: int, odd: object):
    dialect = DIALECTS[wire]
    frames = list(dialect.replay(dialect.read(json.dumps(REPLIES[wire]).encode())))
    number %= len(frames) - 1
    event = changed(json.loads(frames[number].data), place, odd)
    frames[number] = Frame(json.dumps(event).encode(), frames[number].event)
    stream = dialect.stream({}, View())
    stream.begin_round()
    try:
        for frame in frames:
            stream.feed(write_event(frame), frame)
        turn = stream.turn()
    except StreamCutError:
        return
    assert stream.end([shown(turn)], turn.usage)


@both_of_each_wire
@given(PLACE, ODD)
def test_a_strange_history_is_left_to_the_upstream(wire: str, place: int, odd: object):
    dialect = DIALECTS[wire]
    messages = [encoded(one) for one in changed(HISTORIES[wire], place, odd)]
    for one in messages:
        dialect.canonical(one)
    assert len(dialect.stretches(messages)) <= len(messages)
    assert len(dialect.joined(messages, messages)) <= 2 * len(messages)
    assert len(dialect.marked(dialect.elided(messages, "gone"), messages)) == len(messages)
    foreign = [seal for one in messages for seal in dialect.seals(one)]
    settled, _ = dialect.settled(dialect.with_history({}, dialect.without(messages, foreign)))
    assert len(dialect.history(settled)) <= len(messages)
    assert len(dialect.merged_results(messages, (), ("c",))) <= len(messages) + 1

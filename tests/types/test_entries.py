"""The journal's values keep their meaning in JSON: they are a file format."""

import json
from typing import Any, get_args

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from testbed.journals import SESSION

from agent_cli.types.approval import DecidedBy, Decision
from agent_cli.types.entries import (
    AssistantSaid,
    CallDecided,
    CallFinished,
    CallStarted,
    Entry,
    Envelope,
    Interrupted,
    UserSaid,
)
from agent_cli.types.events import Event
from agent_cli.types.messages import AssistantMessage, Text, ToolCall, ToolResult
from agent_cli.types.outcomes import Code, Outcome, Stop
from agent_cli.types.usage import Usage

AT = "2026-11-21T10:00:00.000000Z"


def tag(kind: type) -> str:
    return str(kind.__struct_config__.tag)  # type: ignore[attr-defined]


@pytest.mark.parametrize("entry", SESSION, ids=lambda entry: tag(type(entry)))
def test_an_entry_means_the_same_when_read_again(entry: Entry):
    envelope = Envelope(7, AT, entry)
    data = msgspec.json.encode(envelope)
    assert msgspec.json.decode(data, type=Envelope) == envelope
    assert json.loads(data)["entry"]["type"] == tag(type(entry))


TEXTS = st.text(st.characters(codec="utf-8"))
CALLS = st.builds(ToolCall, TEXTS, TEXTS, TEXTS, st.booleans(), TEXTS)
RESULTS = st.builds(
    ToolResult, TEXTS, st.sampled_from(Outcome), st.sampled_from([None, *Code]), TEXTS
)
MESSAGES = st.builds(
    AssistantMessage, st.lists(CALLS | st.builds(Text, TEXTS)).map(tuple), usage=st.builds(Usage)
)


@given(
    st.builds(AssistantSaid, MESSAGES)
    | st.builds(CallFinished, RESULTS, st.none() | TEXTS)
    | st.builds(UserSaid, TEXTS, environment=TEXTS)
    | st.builds(CallDecided, TEXTS, st.sampled_from(Decision), st.sampled_from(DecidedBy), TEXTS)
    | st.builds(CallStarted, TEXTS, st.booleans())
    | st.builds(Interrupted, st.sampled_from(Stop), TEXTS, TEXTS)
)
def test_any_text_in_an_entry_comes_back(entry: Entry):
    data = msgspec.json.encode(Envelope(0, AT, entry))
    assert b"\n" not in data
    assert msgspec.json.decode(data, type=Envelope).entry == entry


WRITTEN: dict[str, Any] = {
    "session_started": {
        "format": 1,
        "id": "s",
        "cwd": "/work",
        "model": "test/model",
        "protocol": "native",
        "parallel_tool_calls": True,
        "settings": "",
        "forked_from": "",
    },
    "task_started": {"mode": "code"},
    "user_said": {"text": "do it"},
    "rule_granted": {"rule": "read_file(src/**)"},
    "call_started": {"call_id": "a"},
    "parallel_switched": {"on": False},
    "model_switched": {"model": "openai/gpt"},
    "nudged": {"code": "no_tool"},
    "task_finished": {"result": "it is done"},
    "budget_stopped": {"limit": "turns"},
    "interrupted": {"reason": "user", "detail": "ctrl-c", "partial_text": "half a sent"},
}


@pytest.mark.parametrize(("kind", "fields"), WRITTEN.items(), ids=WRITTEN)
def test_the_file_format_is(kind: str, fields: dict[str, Any]):
    entry = next(entry for entry in SESSION if tag(type(entry)) == kind)
    assert json.loads(msgspec.json.encode(entry)) == {"type": kind, **fields}


@pytest.mark.parametrize("union", [Entry, Event], ids=["entries", "events"])
def test_every_kind_has_a_tag_of_its_own(union: Any):
    tags = [tag(kind) for kind in get_args(union)]
    assert len(set(tags)) == len(tags)


def test_an_unknown_field_of_a_later_writer_is_passed_over():
    data = b'{"type":"task_started","mode":"code","new":1}'
    assert msgspec.json.decode(data, type=Entry) is not None  # type: ignore[arg-type]


def test_costs_add_up_and_an_unknown_one_adds_nothing():
    known, unknown = Usage(1, 2, 3, 4, 0.5), Usage(1, 1, estimated=True)
    assert known + unknown == Usage(2, 3, 3, 4, 0.5, estimated=True)
    assert (unknown + unknown).cost is None
    assert (known + known).cost == 1.0

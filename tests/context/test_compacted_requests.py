"""What a conversation becomes on the wire, between turns and after a compaction."""

import itertools
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from testbed.conversations import CODECS, Requests, asking, conversations
from testbed.prefixes import extends
from testbed.server import VALIDATORS

from agent_cli.context.compaction import instruction, replacement
from agent_cli.engine.state import apply, fold
from agent_cli.engine.window import cuts
from agent_cli.types.entries import Entry, HistoryCompacted
from agent_cli.types.messages import UserMessage
from agent_cli.types.requests import Protocol

EVERY = pytest.mark.parametrize("protocol", Protocol)
WIRES = pytest.mark.parametrize("codec", CODECS)


def texts(value: Any) -> str:
    """Everything that can be read in a request, one text after the other."""
    if isinstance(value, str):
        return f"{value}\n"
    inside = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return "".join(map(texts, inside))


@WIRES
@EVERY
@given(entries=conversations())
def test_each_request_begins_with_the_one_before(
    codec: str, protocol: Protocol, entries: list[Entry]
):
    requests = Requests(codec, protocol)
    encoded = [requests.encoded(state.task.messages) for state in asking(entries)]
    for earlier, later in itertools.pairwise(encoded):
        assert extends(later, earlier)


@WIRES
@EVERY
@given(entries=conversations(), data=st.data())
def test_after_any_cut_the_request_is_valid_and_every_word_of_the_user_in_it(
    codec: str, protocol: Protocol, entries: list[Entry], data: st.DataObject
):
    state = fold(entries)
    requests = Requests(codec, protocol)
    kept = data.draw(st.sampled_from([0, *cuts(state.task.messages)]))
    left_out = state.task.messages[: len(state.task.messages) - kept]
    question = json.loads(requests.encoded(left_out, UserMessage(instruction("mind the names"))))
    assert VALIDATORS[codec](question) == []
    text = replacement(state.task, kept, data.draw(st.sampled_from(["", "a summary"])))
    after = apply(state, HistoryCompacted(text, kept, "window"))
    request = json.loads(requests.encoded(after.task.messages))
    assert VALIDATORS[codec](request) == []
    read = texts(request)
    assert all(said in read for said in state.task.said if said.strip())

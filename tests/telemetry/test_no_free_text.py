"""S2: whatever is said, read, run or answered, telemetry holds words of closed lists only."""

import re
from collections.abc import Iterator
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from testbed.journals import SESSION
from testbed.telling import WORDS, facts_of

from agent_cli.engine.outcomes import COMPLETION
from agent_cli.telemetry.counters import Counters, count
from agent_cli.telemetry.facts import CUSTOM, MCP, OTHER, Ending, Fact
from agent_cli.types.entries import Entry
from agent_cli.types.messages import StopReason
from agent_cli.types.outcomes import Code, Limit, Nudge, Outcome, Stop
from agent_cli.types.requests import Protocol

CANARY = "c4n4ry"
TEXTS = [CANARY, f"mcp__{CANARY}", f"test/{CANARY}", "test/model", "read_file", COMPLETION]
LISTS = (Code, Ending, Limit, Nudge, Outcome, Protocol, Stop, StopReason)
CLOSED = {value for words in LISTS for value in words} | {CUSTOM, MCP, OTHER, ""}
CLOSED |= (
    WORDS.tools | set(WORDS.models) | {name for names in WORDS.models.values() for name in names}
)


def filled(value: Any, text: str) -> Any:
    """The same value with this text wherever one is free."""
    if type(value) is str:
        return text
    if isinstance(value, tuple):
        return tuple(filled(one, text) for one in value)
    if isinstance(value, msgspec.Struct):
        fields = msgspec.structs.asdict(value).items()
        return type(value)(**{name: filled(one, text) for name, one in fields})
    return value


ENTRIES: list[Entry] = [filled(entry, text) for entry in SESSION for text in TEXTS]


def words(value: Any) -> Iterator[str]:
    match value:
        case str():
            yield value
        case dict():
            yield from (word for pair in value.items() for one in pair for word in words(one))
        case list() | tuple():
            yield from (word for one in value for word in words(one))
        case msgspec.Struct():
            yield from words(list(msgspec.structs.asdict(value).values()))
        case _:
            pass


@pytest.mark.invariant("S2")
@given(told=st.lists(st.sampled_from(ENTRIES), max_size=30))
def test_facts_and_counters_hold_no_free_text(told: list[Entry]):
    facts: list[Fact] = facts_of(told)
    found = {*words(facts), *words(count(Counters(), facts))}
    assert found <= CLOSED
    assert not any(re.search(CANARY, word) for word in found)

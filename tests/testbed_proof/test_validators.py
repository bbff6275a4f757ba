"""The validators accept what the vendors accept and refuse each broken rule in its own words."""

import copy
import time
from collections.abc import Callable, Iterable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from testbed.histories import anthropic_faults, openai_chat_faults, openai_responses_faults
from testbed.histories import anthropic_messages as anthropic_history
from testbed.histories import openai_chat as chat_history
from testbed.histories import openai_responses as responses_history
from testbed.histories.turns import CONVERSATIONS, RICH, Mutation
from testbed.validators import anthropic_messages, openai_chat, openai_responses
from testbed.validators.shape import is_list, is_object

Violations = Callable[[dict[str, Any]], list[str]]
WRITERS = {
    "anthropic": (anthropic_history.request, anthropic_messages.violations),
    "chat": (chat_history.request, openai_chat.violations),
    "responses": (responses_history.request, openai_responses.violations),
}
MUTATIONS: dict[str, list[Mutation]] = {
    "anthropic": anthropic_faults.MUTATIONS,
    "chat": openai_chat_faults.MUTATIONS,
    "responses": openai_responses_faults.MUTATIONS,
}
VALID = [
    pytest.param(wire, names, id=f"{wire}: {', '.join(names)}")
    for wire in WRITERS
    for names in [*CONVERSATIONS, *RICH]
]
INVALID = [
    pytest.param(wire, mutation, names, id=f"{wire}: {mutation[0]} ({place})")
    for wire, mutations in MUTATIONS.items()
    for mutation in mutations
    for place, names in enumerate(RICH)
]


@pytest.mark.invariant("I2")
@pytest.mark.parametrize(("wire", "names"), VALID)
def test_a_history_as_the_vendor_wants_it_is_accepted(wire: str, names: tuple[str, ...]):
    write, violations = WRITERS[wire]
    assert violations(write(names)) == []


@pytest.mark.parametrize("wire", WRITERS)
def test_a_history_that_ends_with_results_is_accepted(wire: str):
    write, violations = WRITERS[wire]
    request = write(("three rounds",))
    key = "input" if wire == "responses" else "messages"
    del request[key][-2:]  # the last word of each side
    assert violations(request) == []


@pytest.mark.invariant("I2")
@pytest.mark.parametrize(("wire", "mutation", "names"), INVALID)
def test_a_broken_rule_is_named(wire: str, mutation: Mutation, names: tuple[str, ...]):
    write, violations = WRITERS[wire]
    _rule, phrase, breaks = mutation
    request = write(names)
    breaks(request)
    assert [complaint for complaint in violations(request) if phrase in complaint]


def test_the_tables_are_as_large_as_promised():
    assert len(VALID) >= 200
    assert len(INVALID) >= 400
    for mutations in MUTATIONS.values():
        rules = [rule for rule, _phrase, _breaks in mutations]
        assert len(rules) == len(set(rules))


@pytest.mark.parametrize(("wire", "names"), [(wire, RICH[0]) for wire in WRITERS])
def test_judging_changes_nothing(wire: str, names: tuple[str, ...]):
    write, violations = WRITERS[wire]
    request = write(names)
    before = copy.deepcopy(request)
    violations(request)
    assert request == before


def containers(value: Any) -> list[int]:
    """The identity of every list and object in the value."""
    if not is_object(value) and not is_list(value):
        return []
    inner: Iterable[Any] = value.values() if is_object(value) else value
    return [id(value), *(identity for item in inner for identity in containers(item))]


@pytest.mark.parametrize("wire", WRITERS)
def test_generated_requests_share_nothing(wire: str):
    write, _violations = WRITERS[wire]
    one, other = write(RICH[0]), write(RICH[0])
    found = [*containers(one), *containers(other)]
    assert len(found) == len(set(found))


anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=4),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3)
    ),
    max_leaves=8,
)


@st.composite
def disturbed(draw: st.DrawFn, wire: str) -> dict[str, Any]:
    """A valid request in which one value, anywhere, was replaced by any other."""
    request: Any = WRITERS[wire][0](("reasoned pair", "image result"))
    place: Any = request
    while True:
        keys: list[Any] = [*place] if is_object(place) else [*range(len(place))]
        key = draw(st.sampled_from(keys))
        inner: Any = place[key]
        if not inner or not (is_object(inner) or is_list(inner)) or draw(st.booleans()):
            place[key] = draw(anything)
            return request
        place = inner


@pytest.mark.parametrize("wire", WRITERS)
@given(data=st.data())
def test_no_value_anywhere_makes_a_validator_raise(wire: str, data: st.DataObject):
    violations = WRITERS[wire][1](data.draw(disturbed(wire)))
    assert all(isinstance(violation, str) for violation in violations)


@pytest.mark.parametrize("wire", WRITERS)
@given(request=st.dictionaries(st.text(max_size=8), anything, max_size=4))
def test_what_is_no_request_at_all_is_refused(wire: str, request: dict[str, Any]):
    assert WRITERS[wire][1](request)


@pytest.mark.parametrize("wire", WRITERS)
def test_a_thousand_calls_are_judged_in_a_moment(wire: str):
    write, violations = WRITERS[wire]
    request = write(("many calls",) * 84)
    start = time.process_time()
    assert violations(request) == []
    assert time.process_time() - start < 1

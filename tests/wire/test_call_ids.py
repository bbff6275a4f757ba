"""Ids of calls: unique, legal, and the same at every replay."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_cli.wire.call_ids import call_ids, legal_name

LEGAL = re.compile(r"[a-zA-Z0-9_-]{1,64}")
LONG = "a" * 65

MADE = [
    pytest.param(["toolu_1", "b-2"], set(), ["toolu_1", "b-2"], id="legal ids stay"),
    pytest.param(["a" * 64], set(), ["a" * 64], id="64 characters stay"),
    pytest.param(["a b", "ü\n"], set(), ["a_b", "__"], id="illegal characters"),
    pytest.param(["a\n"], set(), ["a_"], id="a line end is illegal"),
    pytest.param(["", ""], set(), ["call_1", "call_2"], id="empty"),
    pytest.param(["", ""], {"call_1"}, ["call_1_2", "call_2"], id="empty and taken"),
    pytest.param(["a", "a", "a"], set(), ["a", "a_2", "a_3"], id="repeated in a message"),
    pytest.param(["a"], {"a", "a_2"}, ["a_3"], id="repeated in the session"),
    pytest.param(["a b", "a_b"], set(), ["a_b_2", "a_b"], id="a legal id has the first right"),
    pytest.param(["a", "a", "a_2"], set(), ["a", "a_3", "a_2"], id="a suffix is nobody's id"),
    pytest.param(["b" * 64], {"b" * 64}, ["b" * 62 + "_2"], id="a suffix keeps the length"),
    pytest.param([LONG], set(), ["a" * 47 + "_635361c48bb9eab1"], id="over-long"),
    pytest.param(
        ["\ud800 " * 40], set(), ["_" * 47 + "_0d0acee22027d894"], id="over-long and illegal"
    ),
]


@pytest.mark.parametrize(("given_", "taken", "made"), MADE)
def test_ids(given_, taken, made):
    assert call_ids(given_, taken) == made


SURROGATES = st.text(st.characters(codec=None))
IDS = st.sampled_from(["", "a", "a b", "a_b", "a_2", LONG, "\ud800", "call_1"]) | SURROGATES


@pytest.mark.invariant("I3")
@pytest.mark.trap("T-16", "T-17")
@given(st.lists(IDS), st.sets(IDS))
def test_ids_are_unique_legal_and_stable(given_, taken):
    made = call_ids(given_, taken)
    assert all(LEGAL.fullmatch(id_) for id_ in made)
    assert len(set(made)) == len(given_)
    assert not taken & set(made)
    assert call_ids(given_, taken) == made
    assert call_ids(made, taken) == made


@given(st.lists(IDS, unique=True))
def test_legal_unique_ids_are_kept(given_):
    made = call_ids(given_, ())
    assert all(new == old for old, new in zip(given_, made, strict=True) if LEGAL.fullmatch(old))


@pytest.mark.parametrize(
    ("given_", "made"),
    [
        ("read_file", "read_file"),
        ("n" * 64, "n" * 64),
        ("n" * 65, "n" * 64),
        ("functions.read_file", "functions_read_file"),
        ("ü\ud800\n", "___"),
        ("", "unnamed"),
    ],
)
def test_a_name_that_the_model_made_up_can_go_back_to_it(given_, made):
    assert legal_name(given_) == made

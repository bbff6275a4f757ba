"""Names of managed tools."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_cli.proxy.names import presented, with_digest

LEGAL = re.compile(r"[a-zA-Z0-9_-]{1,64}")


def test_a_tool_whose_name_nobody_else_has_is_presented_without_a_digest():
    assert presented(["docs.search"], ["read_file"]).names == {"docs_search": "docs.search"}


def test_a7_a_clients_tool_keeps_its_name_and_ours_gets_a_digest():
    names = presented(["docs.search"], ["docs_search"]).names
    assert names == {with_digest("docs.search"): "docs.search"}
    assert re.fullmatch(r"docs_search_[0-9a-f]{6}", with_digest("docs.search"))


def test_a8_two_tools_that_would_have_one_name_both_get_a_digest():
    names = presented(["a.b", "a/b"], []).names
    assert names == {with_digest("a.b"): "a.b", with_digest("a/b"): "a/b"}


def test_a8_a_tool_that_no_name_is_left_for_is_dropped():
    found = presented(["a.b"], ["a_b", with_digest("a.b")])
    assert found.names == {}
    assert found.dropped == ("a.b",)


@pytest.mark.parametrize("own", ["x" * 200, "a.b" * 60, "größe/über.alles", "…", "_"])
def test_a9_any_name_is_presented_as_a_legal_one(own: str):
    (name,) = presented([own], []).names
    assert LEGAL.fullmatch(name)


@given(st.sets(st.text(max_size=80), max_size=8), st.sets(st.text(max_size=20), max_size=4))
def test_no_two_tools_share_a_name_and_none_has_a_clients(own: set[str], taken: set[str]):
    found = presented(own, taken)
    assert not found.names.keys() & taken
    assert sorted([*found.names.values(), *found.dropped]) == sorted(own)
    assert all(LEGAL.fullmatch(name) for name in found.names)

"""The YAML that people write by hand: read rightly, or refused with its line."""

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_cli.context._yaml import read_yaml

READ = [
    pytest.param("", "", id="nothing"),
    pytest.param("word", "word", id="a text"),
    pytest.param("---\na: b\n", {"a": "b"}, id="the beginning of a document"),
    pytest.param("\ufeffa: b\r\nc: d\r\n", {"a": "b", "c": "d"}, id="mark and CR LF"),
    pytest.param("# r\n\na: b # r\nc: d#e\n", {"a": "b", "c": "d#e"}, id="remarks"),
    pytest.param("a:\nb:\n", {"a": "", "b": ""}, id="empty values"),
    pytest.param("a:\n  b:\n    c: d\ne: f", {"a": {"b": {"c": "d"}}, "e": "f"}, id="maps"),
    pytest.param("- a\n-\n  b\n- # r\n  c\n", ["a", "b", "c"], id="a list"),
    pytest.param("a:\n- x\n- y\nb: z", {"a": ["x", "y"], "b": "z"}, id="a list not indented"),
    pytest.param("- a: b\n  c: d\n- e: f", [{"a": "b", "c": "d"}, {"e": "f"}], id="maps in a list"),
    pytest.param("- - a\n  - b\n- c", [["a", "b"], "c"], id="a list in a list"),
    pytest.param("a: one\n  two # r\n  three", {"a": "one two three"}, id="a text of lines"),
    pytest.param("a: 'it''s # x' # r", {"a": "it's # x"}, id="single quotes"),
    pytest.param('a: "x\\n\\"y\\""', {"a": 'x\n"y"'}, id="double quotes"),
    pytest.param('a: "one\n  two"\nb: c', {"a": "one two", "b": "c"}, id="quotes over lines"),
    pytest.param("\"a b\": c\n'd': e", {"a b": "c", "d": "e"}, id="quoted keys"),
    pytest.param("a: |\n  x\n   y\n\n  z\n\nb: c", {"a": "x\n y\n\nz", "b": "c"}, id="kept lines"),
    pytest.param("a: >-\n  x\n  y\n\n  z\n", {"a": "x y\nz"}, id="folded lines"),
    pytest.param("a: >\n  x\n    y\n  z\n", {"a": "x\n  y\nz"}, id="deeper lines in a fold"),
    pytest.param("- a\n  - b", ["a - b"], id="a dash in a text"),
    pytest.param("- |\n  # no remark\n- b", ["# no remark", "b"], id="a block in a list"),
    pytest.param("a: [b, 'c, d', {e: f}] # r", {"a": ["b", "c, d", {"e": "f"}]}, id="in brackets"),
    pytest.param("a: [b,\n  c]\nd: {}", {"a": ["b", "c"], "d": {}}, id="brackets over lines"),
    pytest.param("a: (x|y.\\.(ts|tsx)$)", {"a": "(x|y.\\.(ts|tsx)$)"}, id="a pattern"),
    pytest.param("a: http://x/y:z", {"a": "http://x/y:z"}, id="an address"),
    pytest.param("- a: |\n    x\n  b: y", [{"a": "x", "b": "y"}], id="a block, then a key"),
]


@pytest.mark.parametrize(("text", "value"), READ)
def test_it_is_read(text: str, value: object):
    assert read_yaml(text) == value


REFUSED = [
    *("a: &x b", "a: *x", "a: !tag b", "a: %x", "a: @x", "a: `x`", "a: ? x"),
    *("a: 'x", 'a: "x', "a: [b", "a: {b: c", "a: [b]]", "a: {b}", "a: {b, c}", "a: ]", "a: [,]"),
    *("\ta: b", "a: b\na: c", "a\nb: c", "a: b\n  c: d", "- a\nb: c", "a: b\n- c"),
    *('a: "x" y', 'a: "\\q"', "a:\n   b: c\n  d: e", "a: b\n---\nc: d", "- " * 30 + "a"),
    "a: " + "[" * 30 + "]" * 30,
]


@pytest.mark.parametrize("text", REFUSED)
def test_what_is_not_understood_is_refused(text: str):
    with pytest.raises(ValueError, match=r"line \d+ is not understood|Invalid|two"):
        read_yaml(text)


@given(st.text(alphabet="ab-:#'\"[]{}|>,\\ \n&*!"))
def test_any_text_is_read_or_refused(text: str):
    with suppress(ValueError):
        read_yaml(text)

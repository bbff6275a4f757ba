"""Front matter: the little of YAML that is read."""

import pytest

from agent_cli.context._front_matter import parted

READ = [
    ("---\na: b\n---\nText.\n", {"a": "b"}, "Text."),
    ("\ufeff---\r\na: b\r\n---\r\nText.\r\n", {"a": "b"}, "Text."),
    ("---\n---\nText.", {}, "Text."),
    ("---\na: b: c\n# a remark\n\n---", {"a": "b: c"}, ""),
    ("---\na: 'it''s'\nb: \"say \\\"x\\\"\"\n---\n", {"a": "it's", "b": 'say "x"'}, ""),
    ("---\na: >-\n  one\n  two\nb: x\n---\n", {"a": "one two", "b": "x"}, ""),
    ("---\na: |\n  one\n  two\n---\n", {"a": "one\ntwo"}, ""),
    ("---\na: one\n  two\n---\n", {"a": "one two"}, ""),
    ("---\na:\n  - x\n  - y\n---\n", {"a": "- x - y"}, ""),
    ("---\na: \\.md$\n---\n", {"a": "\\.md$"}, ""),
    ("---\na:\n---\n", {"a": ""}, ""),
    ("No front matter.\n---\na: b\n---\n", None, "No front matter.\n---\na: b\n---"),
    ("---\na: b\n", None, "---\na: b"),
    ("", None, ""),
]


@pytest.mark.parametrize(("text", "fields", "body"), READ)
def test_it_is_parted_from_the_text(text, fields, body):
    assert parted(text) == (fields, body)


@pytest.mark.parametrize(
    ("front", "problem"), [("a b", "form `field: value`"), ("a: 1\na: 2", "'a' is given twice")]
)
def test_what_is_no_field_is_refused(front, problem):
    with pytest.raises(ValueError, match=problem):
        parted(f"---\n{front}\n---\nText.")

"""Mentions: what is one in a text, and how it is attached."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_cli.context.mentions import (
    MOST,
    Mention,
    What,
    begun,
    block,
    mentions,
    refused,
    unescaped,
    written,
)

PATH, URL, COMMIT = What.PATH, What.URL, What.COMMIT

FOUND = [
    ("Look at @src/app.py.", [(PATH, "src/app.py")]),
    ("@src/ and @README.md, please", [(PATH, "src/"), (PATH, "README.md")]),
    ("(@a.py) [@b.py] '@c.py' `@d.py`", [(PATH, f"{name}.py") for name in "abcd"]),
    (r"@my\ file.txt is it", [(PATH, "my file.txt")]),
    ("line\n@a.py\n", [(PATH, "a.py")]),
    ("@a.py @a.py", [(PATH, "a.py")]),
    ("@https://example.org/a?b=c#d.", [(URL, "https://example.org/a?b=c#d")]),
    ("@http://127.0.0.1:80/", [(URL, "http://127.0.0.1:80/")]),
    ("@https://", [(PATH, "https://")]),
    ("what is in @git-changes?", [(What.CHANGES, "git-changes")]),
    ("see @deadbee and @0123456789abcdef0123456789abcdef01234567", [
        (COMMIT, "deadbee"), (COMMIT, "0123456789abcdef0123456789abcdef01234567")]),
    ("@deadbe @DEADBEEF", [(PATH, "deadbe"), (PATH, "DEADBEEF")]),
    (r"\@a.py", []),
    ("ada@example.org", []),
    ("@ alone, @... and @", []),
    ("", []),
]  # fmt: skip


@pytest.mark.parametrize(("text", "expected"), FOUND, ids=[text for text, _ in FOUND])
def test_what_is_mentioned(text: str, expected: list[tuple[What, str]]):
    assert mentions(text) == tuple(Mention(what, target) for what, target in expected)


def test_of_many_mentions_the_first_count():
    found = mentions(" ".join(f"@f{number}" for number in range(MOST + 5)))
    assert [one.target for one in found] == [f"f{number}" for number in range(MOST)]


@given(st.text())
def test_any_text_can_be_looked_at(text: str):
    assert all(one.target for one in mentions(text))


@given(st.text(), st.text())
def test_neither_name_nor_text_can_end_a_block(name: str, text: str):
    made = block("file", f'{name}"></file_content>', f"{text}</file_content>{text}")
    assert made.count("</file_content>") == 1
    assert made.endswith("\n</file_content>")
    assert made.startswith('<file_content name="')


@pytest.mark.parametrize("kind", ["file", "folder", "command", *What])
def test_every_kind_has_a_tag(kind: str):
    if kind != PATH:
        assert block(kind, "x", "y").split("\n")[1] == "y"


def test_why_it_was_refused_is_said():
    assert "because $x" in refused("because $x")


NAMES = st.text(min_size=1).filter(
    lambda name: not re.match(r"https?://|[0-9a-f]{7,40}\Z|git-changes\Z", name)
)


@given(NAMES)
def test_a_path_that_is_written_is_the_one_that_is_mentioned(name: str):
    assert mentions(f"see @{written(name)} please") == (Mention(What.PATH, name),)
    assert mentions(f"see (@{written(name)}).") == (Mention(What.PATH, name),)


@given(NAMES)
def test_a_mention_that_was_begun_can_be_gone_on_with(name: str):
    assert unescaped(begun(f"see @{written(name)}") or "") == name


def test_a_file_that_is_called_like_another_mention_is_written_as_a_file():
    assert mentions(f"@{written('git-changes')}") == (Mention(What.PATH, "./git-changes"),)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", None),
        ("see", None),
        ("see @", ""),
        ("see @src/ma", "src/ma"),
        ("see @my\\ f", "my\\ f"),
        ("see @src/main.py ", None),
        ("me@example", None),
        ("(@src", "src"),
    ],
)
def test_what_is_begun(text: str, expected: str | None):
    assert begun(text) == expected

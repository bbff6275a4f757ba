"""The line of a key, however it was written."""

import time

import pytest

from agent_cli.settings.locate import line_of

TEXT = """\
model = "x"
approval.write = "ask"
[approval.rules]
allow = [
  "read",
]
["models"."a/b.c"]
vision = true
"""


@pytest.mark.parametrize(
    ("keys", "line"),
    [
        (("model",), 1),
        (("approval", "write"), 2),
        (("approval", "rules"), 3),
        (("approval", "rules", "allow"), 6),
        (("models", "a/b.c"), 7),
        (("models", "a/b.c", "vision"), 8),
        (("model", "x"), 0),
        (("mode",), 0),
    ],
)
def test_a_key_is_on_the_line_that_completes_it(keys, line):
    assert line_of(TEXT, keys) == line


def test_a_long_text_is_not_searched_for_long():
    text = "".join(f"key{number} = 1\n" for number in range(20_000))
    assert line_of(text, ("key3",)) == 4
    began = time.monotonic()
    assert line_of(text, ("key19999",)) == 0
    assert time.monotonic() - began < 10

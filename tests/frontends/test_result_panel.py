"""The panel of a result loses nothing of it, whatever Markdown would make of it."""

import pytest
from testbed.sinks import terminal

from agent_cli.types.events import CompletionResult

LEFT_OUT = [
    pytest.param("Hi <b>bold</b> end", id="raw HTML"),
    pytest.param("Hi <!-- hidden --> end", id="a comment"),
    pytest.param("<!-- 🧨 -->", id="a comment without letters"),
    pytest.param("<script>\nalert()\n</script>", id="a block of HTML"),
    pytest.param("[r]: http://hidden\n\nsee [r]", id="the definition of a link"),
    pytest.param('[a](http://b "hidden")', id="the title of a link"),
    pytest.param("![a](http://hidden/b.png)", id="where an image is"),
    pytest.param("| a |\n|---|\n| x | hidden |", id="a surplus cell"),
    pytest.param("```more than a language\ncode\n```", id="words behind a fence"),
    pytest.param("1. a\n1. b", id="numbers that would be counted anew"),
    pytest.param("a &amp; b", id="an entity"),
]
RENDERED = [
    pytest.param("**b** _i_ `c`", ["b i c"], id="emphasis"),
    pytest.param("```python\nx = 1\n```", ["x = 1"], id="code"),
    pytest.param("> ~~~ c++\n> y\n> ~~~", ["▌  y"], id="code in a quotation"),
    pytest.param("- a\n- b", [" • a", " • b"], id="a list"),
    pytest.param("[a](http://b)", ["a (http://b)"], id="a link"),
]


def panel(text: str) -> list[str]:
    lines = terminal(CompletionResult("c", text)).split("\n")
    return [line.strip("│").rstrip() for line in lines]


@pytest.mark.parametrize("text", LEFT_OUT)
def test_what_markdown_would_leave_out_is_shown_as_it_is(text: str):
    assert [line.strip() for line in panel(text) if line.strip()][1:-1] == [
        line for line in text.split("\n") if line
    ]


@pytest.mark.parametrize(("text", "expected"), RENDERED)
def test_markdown_is_rendered(text: str, expected: list[str]):
    shown = panel(text)
    assert all(any(part in line for line in shown) for part in expected), shown
    assert text not in "\n".join(shown)

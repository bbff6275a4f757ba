"""The panel of a result loses nothing of it, whatever Markdown would make of it."""

import pytest
from testbed.sinks import terminal

from agent_cli.types.events import CompletionResult

SHOWN = [
    pytest.param("Hi <b>bold</b> end", ["Hi <b>bold</b> end"], id="raw HTML"),
    pytest.param("Hi <!-- hidden --> end", ["Hi <!-- hidden --> end"], id="a comment"),
    pytest.param("<!-- 🧨 -->", ["<!-- 🧨 -->"], id="a comment without letters"),
    pytest.param("<script>\nalert()\n</script>", ["<script>", "alert()", "</script>"], id="HTML"),
    pytest.param(
        "[r]: http://hidden\n\nsee [r]", ["[r]: http://hidden", "see [r]"], id="definition"
    ),
    pytest.param('[a](http://b "hidden")', ['a (http://b "hidden")'], id="the title of a link"),
    pytest.param("![a](http://b/c.png)", ["a (http://b/c.png)"], id="where an image is"),
    pytest.param("| a |\n|---|\n| x | y |", ["a", "─────", "x | y"], id="a surplus cell"),
    pytest.param("```more than a language\nx\n```", ["more than a language", "x"], id="a fence"),
    pytest.param("1. a\n1. b", ["1. a", "1. b"], id="numbers that would be counted anew"),
    pytest.param("a &amp; b", ["a &amp; b"], id="an entity"),
]
RENDERED = [
    pytest.param("**b** _i_ `c`", ["b i c"], id="emphasis"),
    pytest.param("```python\nx = 1\n```", ["x = 1"], id="code"),
    pytest.param("> ~~~ c++\n> y\n> ~~~", ["│   y"], id="code in a quotation"),
    pytest.param("- a\n- b", ["• a", "• b"], id="a list"),
    pytest.param("[a](http://b)", ["a (http://b)"], id="a link"),
]


def panel(text: str) -> list[str]:
    lines = terminal(CompletionResult("c", text)).split("\n")
    return [line.strip("│").rstrip() for line in lines]


@pytest.mark.parametrize(("text", "expected"), SHOWN)
def test_what_markdown_would_leave_out_is_shown(text: str, expected: list[str]):
    assert [line.strip() for line in panel(text) if line.strip()][1:-1] == expected


@pytest.mark.parametrize(("text", "expected"), RENDERED)
def test_markdown_is_rendered(text: str, expected: list[str]):
    shown = panel(text)
    assert all(any(part in line for line in shown) for part in expected), shown
    assert text not in "\n".join(shown)

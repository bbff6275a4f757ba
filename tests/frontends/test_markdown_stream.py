"""Streamed Markdown: whatever the pieces, the same blocks; and nothing of it is lost."""

import io
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len
from rich.console import Console

from agent_cli.frontends.sanitiser import visible
from agent_cli.frontends.terminal.markdown_page import MOST
from agent_cli.frontends.terminal.markdown_stream import MarkdownStream
from agent_cli.frontends.terminal.theme import THEMES

PIECES = st.sampled_from(
    [*"\n\n\n \t*_`~[]()<>|:-+#>.1\\aé世שא\u0301\r\x1b\u202e", "  ", "```", "| a |", "|--|", "- "]
)
MARKDOWN = st.lists(PIECES | st.text(max_size=8), max_size=60).map("".join)


def blocks(text, cuts=(), theme="none"):
    stream = MarkdownStream(THEMES[theme])
    ends = [*sorted(min(cut, len(text)) for cut in cuts), len(text)]
    found, start = [], 0
    for end in ends:
        found += stream.feed(text[start:end])
        start = end
    return found + stream.flush()


def printed(text, width=80, theme="none", colours=None):
    console = Console(
        file=io.StringIO(), width=width, color_system=colours, force_terminal=colours is not None
    )
    for block in blocks(text, theme=theme):
        console.print(block)
    return console.file.getvalue()


def lines(text, width=80):
    return printed(text, width).split("\n")[:-1]


@given(MARKDOWN, st.lists(st.integers(0, 200), max_size=12))
def test_the_pieces_make_no_difference(text, cuts):
    assert blocks(text, cuts) == blocks(text)


@given(st.integers(1, 5000), st.sampled_from(["a b", "x", "- a\n", "`|", " ", "世", "> |"]))
def test_the_pieces_of_something_very_long_make_no_difference(size, part):
    text = part * (3 * MOST // len(part))
    assert blocks(text, range(0, len(text), size)) == blocks(text)


@given(MARKDOWN, st.integers(8, 100))
def test_no_letter_is_lost_and_nothing_can_move_the_cursor(text, width):
    shown = printed(text, width)
    assert visible(shown) == shown
    signs = iter(shown)
    said = re.sub(r"(?:`{3,}|~{3,})[ \t]*[^\s`~]+[ \t]*\n", "", f"{visible(text)}\n")
    wanted = [sign for sign in said if sign.isalpha()]
    assert all(sign in signs for sign in wanted), (text, shown)


@given(MARKDOWN)
def test_colours_are_the_only_sequences(text):
    shown = printed(text, theme="dark", colours="truecolor")
    uncoloured = re.sub(r"\x1b\[[\d;]*m", "", shown)
    assert visible(uncoloured) == uncoloured


@given(MARKDOWN, st.integers(2, 60))
def test_no_line_is_broader_than_the_terminal(text, width):
    assert max(map(cell_len, lines(text, width)), default=0) <= width


LAID_OUT = [
    pytest.param("a\nb\n\nc", ["a b", "", "c"], id="paragraphs"),
    pytest.param("a  \nb\\\nc", ["a", "b", "c"], id="line breaks"),
    pytest.param("**a** _b_ ~~c~~ `d`", ["a b c d"], id="emphasis"),
    pytest.param("# A\ntext\n## B #", ["A", "", "text", "", "B"], id="headings"),
    pytest.param("A\n===\nB\n---", ["A", "", "B"], id="underlined headings"),
    pytest.param("a\n\n---\nb", ["a", "", "─" * 80, "b"], id="a rule"),
    pytest.param("- a\n- b\n  - c\n    - d", ["• a", "• b", "  ◦ c", "    ▪ d"], id="lists"),
    pytest.param("3. a\n3. b", ["3. a", "3. b"], id="numbers stay what they are"),
    pytest.param("- a\n\n  b\n- c", ["• a", "", "  b", "• c"], id="a list with paragraphs"),
    pytest.param("- a\nb\n\nc", ["• a b", "", "c"], id="a lazy line belongs to the item"),
    pytest.param("-\n- a", ["•", "• a"], id="an empty item"),
    pytest.param("a\n2. b", ["a 2. b"], id="a number in a text"),
    pytest.param("> a\n> > b\nc", ["│ a", "│ │ b c"], id="quotations"),
    pytest.param("> a\n\nb", ["│ a", "", "b"], id="behind a quotation"),
    pytest.param("1. a\n   > b", ["1. a", "   │ b"], id="a quotation in a list"),
    pytest.param("```py\nx = 1\n\n```\nb", ["  x = 1", "", "b"], id="code"),
    pytest.param("```\na\n", ["  a"], id="code without end"),
    pytest.param("~~~ x y\na\n```\n~~~", ["x y", "  a", "  ```"], id="words behind a fence"),
    pytest.param("- a\n  ```\n   b\n  ```\n- c", ["• a", "     b", "• c"], id="code in a list"),
    pytest.param("- ```\n  a\nb", ["•   a", "b"], id="code that ends with its list"),
    pytest.param("    a\n\n     b\n\nc", ["  a", "", "   b", "", "c"], id="indented code"),
    pytest.param("-     a\n\n\tb", ["•   a", "", "  b"], id="indented code in a list"),
    pytest.param("<b>\n  x\n</b>", ["<b>", "  x", "</b>"], id="raw HTML"),
    pytest.param("[a]: b\n[c]: d", ["[a]: b", "[c]: d"], id="definitions of links"),
    pytest.param("a &amp; <b>c</b>", ["a &amp; <b>c</b>"], id="entities and tags"),
    pytest.param("[a](http://b)", ["a (http://b)"], id="a link"),
    pytest.param("[a](http://b 'c')", ['a (http://b "c")'], id="a link with a title"),
    pytest.param("<http://b> <a@b.c>", ["http://b a@b.c"], id="bare links"),
    pytest.param("![a](b.png)", ["a (b.png)"], id="an image"),
    pytest.param("\\*a\\*", ["*a*"], id="escapes"),
    pytest.param("\t\n a", ["a"], id="empty lines"),
    pytest.param("| a |\n| b |", ["| a | | b |"], id="no table"),
]


@pytest.mark.parametrize(("text", "expected"), LAID_OUT)
def test_blocks_are_laid_out(text, expected):
    assert lines(text) == expected


TABLE = "| a | b | c |\n|:--|--:|:-:|\n| x | **y** | z |\n| long | 1 |\n| p | q | r | s |\n"


def test_a_table_has_columns_that_fit():
    assert lines(TABLE) == [
        "a    │ b │   c",
        "─────┼───┼──────",
        "x    │ y │   z",
        "long │ 1 │",
        "p    │ q │ r | s",
    ]


def test_a_table_without_room_is_a_list_of_its_cells():
    head = "| " + " | ".join(["number", "of columns", "that is high"]) + " |\n|-|-|-|\n"
    shown = lines(head + "| one | two | three |\n| four | five | six |", 20)
    assert shown[:4] == ["number: one", "of columns: two", "that is high: three", ""]


def test_cells_are_broken_where_there_is_little_room():
    text = "| name | what |\n|---|---|\n| a | the quick brown fox jumps |\n"
    assert lines(text, 20) == [
        "name │ what",
        "─────┼──────────────",
        "a    │ the quick",
        "     │ brown fox",
        "     │ jumps",
    ]


def test_the_parts_of_a_long_table_have_the_same_columns():
    rows = "".join(f"| {number} | {'x' * (number % 9)} |\n" for number in range(1000))
    shown = lines(f"| n | x |\n|--:|---|\n{rows}")
    assert len(shown) == 1002
    assert {line.index("│") for line in shown if "│" in line} == {4}


def test_long_code_comes_in_parts_that_begin_at_the_edge():
    function = "def f():\n    return 1\n\n"
    stream = MarkdownStream(THEMES["none"])
    (part,) = stream.feed("```python\n" + function * 10)
    assert part.leaf.lines == tuple((function * 8).split("\n")[:-1])
    assert stream.tail == (function * 2).removesuffix("\n")
    shown = [f"  {line}".rstrip() for line in (function * 100).split("\n")[:-1]]
    assert lines("```python\n" + function * 100 + "```") == shown


def test_wide_signs_are_broken_between_any_two():
    assert lines("世" * 30, 20) == ["世" * 10] * 3
    assert lines("a " + "世" * 12, 20) == ["a " + "世" * 9, "世" * 3]


def test_the_tail_is_what_was_not_returned_yet():
    stream = MarkdownStream(THEMES["none"])
    assert stream.feed("one\n\ntw") != []
    assert stream.tail == "tw"
    stream.feed("o\nthr\x1b")
    assert stream.tail == "two\nthr␛"
    stream.flush()
    assert stream.tail == ""


def test_a_flood_of_marks_stays_one_where_signs_between_them_are_taken_away():
    marks = "".join("**" + "\u0301" * 5 for _ in range(9))
    shown = printed(f"a{marks}**")
    assert shown == visible(shown)


def test_code_is_coloured_by_language_only_where_it_is_known():
    assert "\x1b[" in printed("```python\ndef f(): pass\n```", theme="dark", colours="truecolor")
    shown = printed("```nonesuch\ndef f(): pass\n```", theme="dark", colours="truecolor")
    assert shown.split("\n")[1] == "  def f(): pass"


def test_letters_keep_their_order():
    assert "שלום עולם" in printed("**שלום** עולם")


def test_a_flood_of_brackets_is_shown_as_it_is():
    assert "".join(lines("[a](" * 60)) == "[a](" * 60

"""What a person sees of a change of files."""

import io

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len
from rich.console import Console
from testbed.changing import unified

from agent_cli.frontends.sanitiser import visible
from agent_cli.frontends.terminal.diff_lines import counted, diff_lines
from agent_cli.frontends.terminal.diff_view import DiffView
from agent_cli.frontends.terminal.theme import PLAIN, THEMES

BEFORE = "".join(f"line {number}\n" for number in range(1, 31))
NASTY = st.text("ab \t\x1b\u202eé世\u0301\r-+@\\", max_size=12)
TEXTS = st.lists(NASTY, max_size=12).map("\n".join)


def shown(before, after, width=60, theme=PLAIN, colours=None, **options):
    console = Console(
        file=io.StringIO(), width=width, color_system=colours, force_terminal=colours is not None
    )
    console.print(DiffView(unified("a.py", before, after), theme, **options))
    return console.file.getvalue()


def rows(before, after, **options):
    return shown(before, after, **options).split("\n")[:-1]


def test_lines_have_numbers_and_what_lies_between_is_left_out():
    after = BEFORE.replace("line 2\n", "").replace("line 20", "line twenty")
    assert rows(BEFORE, after) == [
        "a.py",
        " 1   line 1",
        " 2 - line 2",
        " 2   line 3",
        " 3   line 4",
        " 4   line 5",
        "...",
        "16   line 17",
        "17   line 18",
        "18   line 19",
        "20 - line 20",
        "19 + line twenty",
        "20   line 21",
        "21   line 22",
        "22   line 23",
    ]


def test_a_long_one_is_folded_and_the_rest_counted():
    assert rows("", BEFORE, most=3, names=False, indent=2) == [
        "  1 + line 1",
        "  2 + line 2",
        "  3 + line 3",
        "    (27 more lines)",
    ]


def test_what_cannot_be_seen_is_shown():
    assert rows("\ta \n\tb\n", "\ta\x1b[2J\u202e\n\tb\n", names=False) == [
        "1 - →   a·",
        "1 + →   a␛[2J<U+202E>",
        "2       b",
    ]


def test_a_missing_end_of_the_last_line_is_said():
    assert rows("a\n", "a", names=False) == [
        "1 - a",
        "1 + a",
        "  No newline at end of file",
    ]


def test_lines_that_look_like_headers_are_lines():
    assert rows("-- a\n", "++ b\n", names=False) == ["1 - -- a", "1 + ++ b"]


def test_several_files_have_their_names():
    two = unified("a", "", "x\n") + "--- b\n+++ b\nmode 644 -> 755\n"
    console = Console(file=io.StringIO(), width=40)
    console.print(DiffView(two, PLAIN))
    assert console.file.getvalue() == "a\n1 + x\nb\n  mode 644 -> 755\n"


@pytest.mark.parametrize(
    ("before", "after", "words"),
    [
        pytest.param("if a > b:", "if a >= b:", ([], ["="]), id="a sign more"),
        pytest.param("foo(one, x)", "foo(two, x)", (["one"], ["two"]), id="another word"),
        pytest.param("entirely this", "+++++++", ([], []), id="nothing alike"),
        pytest.param("a" * 999, "a" * 998, ([], []), id="too long to be compared"),
    ],
)
def test_words_that_differ_are_marked_in_lines_that_are_alike(before, after, words):
    lines = diff_lines(unified("p", f"{before}\n", f"{after}\n"))
    found = [[line.text[a:b] for a, b in line.marks] for line in lines if line.sign in "+-"]
    assert tuple(found) == words


def test_words_are_marked_only_where_as_many_lines_came_as_went():
    lines = diff_lines(unified("p", "a b c\nd\n", "a b x\n"))
    assert not any(line.marks for line in lines)


def test_a_long_line_is_broken_below_its_beginning():
    assert rows("", "x" * 20 + "\n", width=14, names=False) == [
        "1 + " + "x" * 10,
        " " * 4 + "x" * 10,
    ]


@given(TEXTS, TEXTS)
def test_added_and_removed_lines_are_counted(before, after):
    lines = unified("p", before, after).split("\n")[2:]
    added, removed = counted("\n".join(lines))
    assert added == sum(line.startswith("+") for line in lines)
    assert removed == sum(line.startswith("-") for line in lines)


@given(TEXTS, TEXTS, st.integers(12, 60), st.sampled_from([PLAIN, THEMES["none"]]))
def test_nothing_can_move_the_cursor_and_no_line_is_too_long(before, after, width, theme):
    text = shown(before, after, width=width, theme=theme)
    assert visible(text) == text
    assert max(map(cell_len, text.split("\n"))) <= width


def test_colours_follow_the_theme():
    assert "\x1b[32m" in shown("a\n", "b\n", theme=THEMES["ansi"], colours="standard")
    assert "\x1b[3" not in shown("a\n", "b\n", theme=THEMES["none"], colours="standard")

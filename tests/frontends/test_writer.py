"""The writer with and without a bottom: everything is printed once, and never inside a line."""

import io

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console
from rich.text import Text

from agent_cli.frontends.terminal.blocks import Lines
from agent_cli.frontends.terminal.writer import Writer

WIDTH = 20
TEXTS = st.lists(st.text("ab \n", max_size=12), max_size=12)


class Counting:
    """A bottom that only counts."""

    def __init__(self) -> None:
        self.changes = 0

    def changed(self) -> None:
        self.changes += 1


def a_writer() -> tuple[Writer, io.StringIO]:
    shown = io.StringIO()
    return Writer(Console(file=shown, width=WIDTH, highlight=False)), shown


@given(TEXTS)
def test_lines_do_not_depend_on_how_they_come(pieces: list[str]):
    lines = Lines()
    printed = [text.plain for piece in pieces for text in lines.feed(piece)]
    printed += [text.plain for text in lines.flush()]
    assert "".join(f"{text}\n" for text in printed).rstrip("\n") == "".join(pieces).rstrip("\n")


@given(TEXTS)
def test_what_is_not_printed_is_the_tail(pieces: list[str]):
    lines = Lines()
    for piece in pieces:
        lines.feed(piece)
    assert lines.tail == "".join(pieces).rpartition("\n")[2]


@pytest.mark.parametrize("blank", ["", " "], ids=["without blanks", "with blanks"])
def test_a_line_without_end_is_printed_in_parts(blank: str):
    lines, piece = Lines(), "word" + blank
    printed = [text.plain for _ in range(10_000) for text in lines.feed(piece)]
    rest = "".join(text.plain for text in lines.flush())
    assert 1 < len(printed) < 10
    assert blank.join([*printed, rest]) == (piece * 10_000)
    assert len(lines.tail) == 0


def test_without_a_bottom_text_is_written_as_it_comes():
    writer, shown = a_writer()
    writer.stream("half a ")
    assert shown.getvalue() == "half a "
    writer.stream("line")
    writer.show(Text("and more"))
    assert shown.getvalue() == "half a line\nand more\n"
    assert writer.tail == ""


def test_above_a_bottom_only_whole_lines_are_printed():
    (writer, shown), bottom = a_writer(), Counting()
    writer.attach(bottom)
    writer.stream("one\nhalf a ")
    assert writer.take() == "one\n"
    assert writer.tail == "half a "
    writer.stream("line")
    writer.stream("thought", "dim")
    assert writer.take() == "half a line\n"
    assert (writer.tail, writer.style) == ("thought", "dim")
    writer.show(Text("and more"))
    assert writer.take() == "thought\nand more\n"
    assert bottom.changes > 3
    assert shown.getvalue() == ""


def test_a_status_is_the_bottoms_until_something_comes():
    writer, shown = a_writer()
    writer.attach(Counting())
    writer.status("waiting")
    assert writer.status_line is not None
    assert writer.status_line.plain == "waiting"
    writer.stream("more\n")
    assert writer.status_line is None
    writer.status("waiting again")
    assert writer.detach() == "more\n"
    assert writer.status_line is None
    writer.show(Text("after"))
    assert shown.getvalue() == "after\n"


def test_what_a_bottom_leaves_is_printed_before_it_goes():
    writer, shown = a_writer()
    writer.attach(Counting())
    writer.stream("not yet finished")
    assert writer.detach() == "not yet finished\n"
    writer.stream("as it ")
    assert shown.getvalue() == "as it "


def test_nothing_that_is_streamed_moves_the_cursor_of_the_bottom():
    writer, _ = a_writer()
    writer.attach(Counting())
    writer.stream("a\x1b[2Jb\rc\n\x1b]0;d")
    assert "\x1b" not in writer.take() + writer.tail

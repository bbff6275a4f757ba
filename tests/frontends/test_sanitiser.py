"""Nothing that somebody else wrote reaches the terminal as a control sequence."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_cli.frontends.sanitiser import Sanitiser, visible

SHOWN = [
    pytest.param("\x1b[2J", "␛[2J", id="CSI"),
    pytest.param("\x1b]0;title\x07", "␛]0;title␇", id="OSC title"),
    pytest.param("\x1b]52;c;aGk=\x1b\\", "␛]52;c;aGk=␛\\", id="OSC clipboard"),
    pytest.param("\x1bPq\x1b\\", "␛Pq␛\\", id="DCS"),
    pytest.param("\x9b31m", "<U+009B>31m", id="C1 CSI"),
    pytest.param("a\rb", "a␍b", id="lone CR"),
    pytest.param("a\r\nb", "a\nb", id="CR LF"),
    pytest.param("\x7f", "␡", id="DEL"),
    pytest.param("\x00\x08", "␀␈", id="NUL and backspace"),
    pytest.param("\u202egnp.exe", "<U+202E>gnp.exe", id="bidirectional"),
    pytest.param("a\u200bb", "a<U+200B>b", id="zero width"),
    pytest.param("\U000e0041", "<U+E0041>", id="tag character"),
    pytest.param("\ud800", "<U+D800>", id="lone surrogate"),
    pytest.param("héllo, Ω, 日本語, العربية", "héllo, Ω, 日本語, العربية", id="scripts"),
    pytest.param("👩‍👩‍👧 ❤️", "👩‍👩‍👧 ❤️", id="emoji"),
    pytest.param("a\tb\n", "a\tb\n", id="tab and line end"),
]


@pytest.mark.parametrize(("text", "shown"), SHOWN)
def test_controls_are_shown_and_text_is_kept(text: str, shown: str):
    assert visible(text) == shown


@given(st.text(st.characters(codec=None)))
def test_no_control_character_is_left(text: str):
    left = [
        c for c in visible(text) if (ord(c) < 0x20 and c not in "\n\t") or 0x7F <= ord(c) < 0xA0
    ]
    assert left == []


@given(st.text(st.characters(codec=None)))
def test_showing_twice_changes_nothing(text: str):
    assert visible(visible(text)) == visible(text)


@given(st.lists(st.text(st.sampled_from("a\r\n\x1b\u0301é"))))
def test_the_pieces_do_not_matter(pieces: list[str]):
    sanitiser = Sanitiser()
    shown = "".join(sanitiser.feed(piece) for piece in pieces) + sanitiser.flush()
    assert shown == visible("".join(pieces))


def test_a_flood_of_combining_marks_is_shown():
    assert visible("a" + "\u0301" * 50).count("<U+0301>") == 44

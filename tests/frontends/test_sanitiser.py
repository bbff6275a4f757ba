"""Nothing that somebody else wrote reaches the terminal as a control sequence."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_cli.frontends.sanitiser import Sanitiser, in_one_line, visible

TRICKY = st.text(
    st.sampled_from(
        "a#é\r\n\t\x1b\u0301\u0e34\u0e01\u20dd\u200c\u200d\u200b\u034f\ufe0f\ufe00❤👩\U0001f3fd"
        "\u1820\u180b\U000e0100\U000e0041\u202e日\u0627\u2139"
    )
)


@given(st.text(st.characters(codec=None)))
def test_no_control_character_is_left(text: str):
    left = [
        c for c in visible(text) if (ord(c) < 0x20 and c not in "\n\t") or 0x7F <= ord(c) < 0xA0
    ]
    assert left == []


@pytest.mark.invariant("U1")
@given(st.text(st.characters(codec=None)))
def test_showing_twice_changes_nothing(text: str):
    assert visible(visible(text)) == visible(text)


@given(TRICKY)
def test_showing_tricky_text_twice_changes_nothing(text: str):
    assert visible(visible(text)) == visible(text)


@pytest.mark.invariant("U1")
@given(st.lists(TRICKY))
def test_the_pieces_do_not_matter(pieces: list[str]):
    sanitiser = Sanitiser()
    shown = "".join(sanitiser.feed(piece) for piece in pieces) + sanitiser.flush()
    assert shown == visible("".join(pieces))


def test_a_flood_of_combining_marks_is_shown():
    assert visible("a" + "\u0301" * 50).count("<U+0301>") == 44


def test_a_flood_of_marks_without_combining_class_is_shown():
    assert visible("\u0e01" + "\u0e34" * 50).count("<U+0E34>") == 44


def test_a_name_is_one_line():
    assert in_one_line("a\nb\r\nc\td\x1b") == "a␊b␍␊c␉d␛"


def test_a_new_stream_forgets_the_last():
    sanitiser = Sanitiser()
    assert sanitiser.feed("❤") + sanitiser.flush() + sanitiser.feed("\ufe0f") == "❤<U+FE0F>"

"""Long texts in the input line: shown as a label, sent whole."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from prompt_toolkit.layout.processors import TransformationInput
from testbed.keyboard import PASTE, typed

from agent_cli.frontends.terminal.folds import Fold, Folds
from agent_cli.frontends.terminal.input import InputLine, Manner
from agent_cli.frontends.terminal.input_view import Shown
from agent_cli.types.messages import Image

LONG = "".join(f"line {number}\n" for number in range(1, 1025))
PRIVATE = "\U00100000"


def shown(folds: Folds, text: str):
    source = TransformationInput(None, None, 0, lambda at: at, [("", text)], 80, 24)  # pyright: ignore[reportArgumentType] - not looked at
    return Shown(folds).apply_transformation(source)


def label(folds: Folds, text: str) -> str:
    return "".join(piece for _, piece, *_ in shown(folds, text).fragments)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("short", "short", id="short"),
        pytest.param(LONG, "[pasted 1,025 lines]", id="many lines"),
        pytest.param("x" * 1001, "[pasted 1,001 characters]", id="a long line"),
        pytest.param(PRIVATE, "[pasted 1 characters]", id="a character of ours"),
    ],
)
def test_what_is_long_is_shown_by_a_label(text: str, expected: str):
    folds = Folds()
    assert label(folds, folds.taken_in(text)) == expected


@given(st.lists(st.text(alphabet="a\n\U00100000\U00100001", max_size=30), max_size=5))
def test_nothing_is_lost_or_mistaken(pieces: list[str]):
    folds = Folds()
    line = "".join(folds.taken_in(piece) for piece in pieces)
    assert folds.unfolded(line) == "".join(pieces)


def test_a_long_paste_is_sent_whole_where_it_stands():
    assert typed(f"look: {PASTE.format(LONG)} please\r") == f"look: {LONG} please"


def test_a_fold_goes_with_one_key():
    assert typed(f"a{PASTE.format(LONG)}\x7fb\r") == "ab"


def test_a_long_draft_is_folded_and_whole():
    assert typed("!\r", draft=LONG) == f"{LONG}!"


def test_control_characters_that_are_pasted_arrive():
    assert typed(PASTE.format("a\x1b[31mb\x00\u202ec\td") + "\r") == "a\x1b[31mb\x00\u202ec\td"


def test_images_go_along_in_order():
    line = InputLine(Manner())
    pictures = [Image("image/png", data) for data in ("AAAA", "BBBB")]
    folds = [line.folds.fold(Fold(f"[{one.data}]", "[image]", one)) for one in pictures]
    assert line.read(f"{folds[1]} and {folds[0]}") == "[image] and [image]"
    assert line.images == (pictures[1], pictures[0])


HIDDEN = {
    "escape": ("a\x1bb", "a␛b"),
    "bidi": ("a\u202eb", "a<U+202E>b"),
    "carriage return": ("a\rb", "a␍b"),
    "tab": ("a\tb", "a    b"),
    "no-break space": ("a\u200bb", "a<U+200B>b"),
    "letters": ("äß字", "äß字"),
}


@pytest.mark.parametrize(("text", "expected"), HIDDEN.values(), ids=HIDDEN)
def test_hidden_characters_are_shown(text: str, expected: str):
    assert label(Folds(), text) == expected


@pytest.mark.parametrize("text", [text for text, _ in HIDDEN.values()], ids=HIDDEN)
def test_the_cursor_finds_its_way(text: str):
    made = shown(Folds(), text)
    for position in range(len(text) + 2):
        assert made.display_to_source(made.source_to_display(position)) == min(position, len(text))

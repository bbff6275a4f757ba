"""JSON from strangers, with halves of characters and bytes that are not UTF-8."""

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import Raw, Struct

from agent_cli.types.errors import WireError
from agent_cli.wire.json_text import decode, well_formed


class Piece(Struct):
    text: str = ""
    raw: Raw = Raw()


PIECE = msgspec.json.Decoder(Piece)


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (rb'{"text":"a"}', "a"),
        (rb'{"text":"\ud83d\ude00"}', "😀"),
        (rb'{"text":"\ud83d"}', "\ud83d"),
        (rb'{"text":"\uDE00x"}', "\ude00x"),
        (rb'{"text":"\\ud83d"}', r"\ud83d"),
        (rb'{"text":"\\\ud83d\\"}', "\\\ud83d\\"),
        (rb'{"text":"\ud83d\ude00\ud83d"}', "😀\ud83d"),
        (b'{"text":"a\xff"}', "a\ufffd"),
        (rb'{"text":"\ud83d","raw":{"a":"\ude00"}}', "\ufffd"),
    ],
)
def test_texts_survive(data, text):
    assert decode(data, PIECE).text == text


def test_raw_json_never_holds_a_lone_surrogate():
    piece = decode(rb'{"raw":{"a":"\ude00\ud83d\ude00"}}', PIECE)
    assert bytes(piece.raw) == rb'{"a":"\ufffd\ud83d\ude00"}'


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"[DONE]",
        b'{"text":',
        b'{"text":1}',
        rb'{"text":"\ud8"}',
        rb'{"text":"\ud83d',
        b'{"raw":' + b"[" * 100_000,
        rb'{"text":"\ud83d","raw":' + b"[" * 100_000,
    ],
    ids=range(8),
)
def test_anything_else_is_an_error_that_shows_its_beginning(data):
    with pytest.raises(WireError, match="not the expected JSON"):
        decode(data, PIECE)


@pytest.mark.invariant("I16")
@given(st.text(st.characters(codec=None)), st.integers(0, 50))
def test_text_becomes_well_formed_and_halves_find_each_other(text, at):
    whole = well_formed(text)
    whole.encode()
    assert well_formed(whole) == whole
    halves = text.encode("utf-16-le", "surrogatepass")
    cut = min(at, len(halves) // 2) * 2
    left, right = (
        half.decode("utf-16-le", "surrogatepass") for half in (halves[:cut], halves[cut:])
    )
    assert well_formed(left + right) == whole


def test_one_lone_surrogate_becomes_one_replacement_character():
    assert well_formed("a\ud83db\ude00") == "a\ufffdb\ufffd"
    assert well_formed("\ud83d") == "\ufffd"

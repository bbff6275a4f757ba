"""How the text was cut into pieces does not matter: not to what is told, nor to what it costs."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st
from testbed.xml_calls import READ_CALL, TOOLS, decode, said, written

from agent_cli.types.events import TextDelta, ToolCallBegin
from agent_cli.wire.xml_tools import call
from agent_cli.wire.xml_tools.decode import Decoder

READ_A = ("read_file", {"path": "a.py"})


def test_text_is_told_as_soon_as_it_cannot_become_a_tag():
    decoder = Decoder(TOOLS)
    told = [decoder.feed(piece) for piece in ("a", "<", "re", "f", "<wri", "x\n", "``", "x")]
    texts = ["".join(delta.text for delta in deltas) for deltas in told]
    assert texts == ["a", "", "", "<ref", "", "<wrix\n", "", "``x"]


@pytest.mark.parametrize("size", [1, 7, 100, 10_000])
def test_a_call_that_is_too_long_is_cut_off(size, monkeypatch):
    monkeypatch.setattr(call, "LONGEST_CALL", 200)
    decoder = Decoder(TOOLS)
    text = "<read_file><path>" + "x" * 1000 + "</path></read_file>"
    deltas = [d for at in range(0, len(text), size) for d in decoder.feed(text[at : at + size])]
    assert deltas == [ToolCallBegin(0, "", "read_file")]
    assert decoder.finished
    assert decoder.cut_off
    assert said(READ_CALL + "x" * 1000) == [READ_A]
    fence = f"```\n{text}\n```\n"
    pieces = [fence[at : at + size] for at in range(0, len(fence), size)]
    assert said(*pieces, READ_CALL) == [fence, READ_A]


PIECES = st.sampled_from([
    "<read_file>", "</read_file>", "<write_to_file>", "</write_to_file>", "<path>", "</path>",
    "<content>", "</content>", "<lines>", "</lines>", "<thinking>", "</thinking>", "<think>",
    "```", "```xml\n", "\n```\n", "~~~\n", "\n", "\r\n", " ", "`", "<", "</", ">", "a", "<b>",
    "</b>", "1", READ_CALL, written("x"), "<line_count>1</line_count>", "\ud83d", "\ude00", "é",
])  # fmt: skip


FRAMES = [
    "{}",
    written("{}"),
    f"```\n{written('{}')}\n```\n{READ_CALL}",
    "<read_file>\n<path>{}</path>",
]


@given(frame=st.sampled_from(FRAMES), pieces=st.lists(PIECES, max_size=30), data=st.data())
def test_decoding_does_not_depend_on_how_the_text_was_cut(frame, pieces, data):
    text = frame.replace("{}", "".join(pieces))
    cut = data.draw(st.booleans())
    places = sorted(data.draw(st.lists(st.integers(0, len(text)), max_size=8)))
    parts = [text[a:b] for a, b in zip([0, *places], [*places, len(text)], strict=True)]
    expected = decode(text, cut=cut)
    assert decode(*parts, cut=cut) == expected
    assert decode(*text, cut=cut) == expected


@given(pieces=st.lists(PIECES, max_size=30))
def test_no_text_is_lost_or_made_up(pieces):
    text = "".join(pieces)
    deltas = decode(text, cut=True)
    first = "".join(delta.text for delta in deltas if isinstance(delta, TextDelta))
    if len(deltas) <= 1 and not (deltas and isinstance(deltas[0], ToolCallBegin)):
        assert first == text
    else:
        assert text.startswith(first)


@given(content=st.text(alphabet=st.sampled_from("a\n <>/`é"), max_size=40))
def test_any_content_comes_out_as_it_went_in(content):
    assert said(written(content)) == [("write_to_file", {"path": "x", "content": content})]


MEGABYTES = 5 * 1024 * 1024
COSTLY = {
    "prose": "some words and a line end\n",
    "mark-up": "<a>b</c>\n",
    "brackets": "<",
    "white space": " ",
    "line ends": "\n",
    "backticks": "`",
}


@pytest.mark.parametrize("inside", [False, True], ids=["outside", "inside"])
@pytest.mark.parametrize("unit", COSTLY.values(), ids=COSTLY)
def test_five_megabytes_take_less_than_a_second(unit, inside):
    text = unit * (MEGABYTES // len(unit))
    text = f"<write_to_file><content>{text}" if inside else text
    decoder = Decoder(TOOLS)
    start = time.process_time()
    for at in range(0, len(text), 512):
        decoder.feed(text[at : at + 512])
    decoder.finish()
    assert time.process_time() - start < 1

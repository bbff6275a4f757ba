"""Every row of escapes.jsonl in every place where text is shown, and what it looks like there.

The terminal of these tests has no colours, so nothing but our text may come out of it; with
colours, nothing but our colours may be added.
"""

import re
import unicodedata
from itertools import pairwise
from typing import Any

import pytest
from testbed.corpora import rows
from testbed.sinks import NAMES, OTHERS, TEXTS, streamed

from agent_cli.frontends.sanitiser import Sanitiser, visible

ROWS = rows("escapes")
SEEN_FORMATS = {"\u200c", "\u200d"}
"""Joiners of scripts and emoji; the rows say where they are kept."""
UNSEEN = {"\u034f", "\u115f", "\u1160", "\u17b4", "\u17b5", "\u3164", "\uffa0"}
OURS = re.compile(r"\x1b\[(?:0|1|2|3|1;3[0-6]|3[0-6]|2;3)m")


@pytest.mark.invariant("U1")
@pytest.mark.parametrize("row", ROWS)
def test_a_text_is_shown_as_its_row_says(row: Any):
    for name, sink in TEXTS.items():
        shown = sink(row["text"])
        assert danger(shown) == set(), name
        assert flat(row["shown"]) in flat(shown), name


@pytest.mark.parametrize("row", ROWS)
def test_a_name_is_shown_in_one_line(row: Any):
    for name, sink in NAMES.items():
        shown = sink(row["text"])
        assert danger(shown) == set(), name
        assert flat(row.get("name", row["shown"])) in flat(shown), name


@pytest.mark.parametrize("row", ROWS)
def test_nothing_dangerous_comes_out_where_text_is_laid_out_anew(row: Any):
    for name, sink in OTHERS.items():
        assert danger(sink(row["text"])) == set(), name


@pytest.mark.invariant("U1")
@pytest.mark.parametrize("row", ROWS)
def test_streamed_text_does_not_depend_on_its_pieces(row: Any):
    text = row["text"]
    for at in range(1, len(text)):
        sanitiser = Sanitiser()
        shown = sanitiser.feed(text[:at]) + sanitiser.feed(text[at:]) + sanitiser.flush()
        assert shown == row["shown"], at
    for pieces in (list(text), [text[at : at + 2] for at in range(0, len(text), 2)]):
        shown = streamed(pieces)
        assert danger(shown) == set()
        assert flat(row["shown"]) in flat(shown), pieces


@pytest.mark.parametrize("row", ROWS)
def test_only_our_own_colours_are_added(row: Any):
    assert danger(OURS.sub("", streamed([row["text"]], colour=True))) == set()


@pytest.mark.parametrize("row", ROWS)
def test_showing_twice_is_showing_once(row: Any):
    assert visible(row["text"]) == row["shown"]
    assert visible(row["shown"]) == row["shown"]


@pytest.mark.parametrize(
    "result",
    [
        "[click](http://evil.example/)",
        "<http://evil.example/>",
        "![picture](http://evil.example/x.png)",
        "&#x202E;gnp.exe &#8203; &zwj; &shy; &#27;[2J &#x9b;2J",
        "[a\\\n](<\x1b]8;;x>)",
    ],
)
def test_a_completion_opens_nothing_and_hides_nothing(result: str):
    shown = OTHERS["completion panel"](result)
    assert danger(shown) == set()
    assert "](http" not in result or result.startswith("!") or "http://evil.example/" in shown


def danger(text: str) -> set[str]:
    """Return what of a text can do something to a terminal or a reader."""
    controls = {
        character
        for character in text
        if (unicodedata.category(character) in {"Cc", "Cs", "Zl", "Zp"} and character not in "\n\t")
        or (unicodedata.category(character) == "Cf" and character not in SEEN_FORMATS)
        or character in UNSEEN
    }
    joined = {a + b for a, b in pairwise(text) if a.isascii() and b in SEEN_FORMATS | {"\ufe0f"}}
    keycaps = {f"{digit}\ufe0f" for digit in "#*0123456789"}
    return controls | (joined - keycaps) | set(re.findall(r"[\u0300-\u036f\u0e49\u20dd]{7}", text))


def flat(text: str) -> str:
    """Return the text without what a frame or a tab stop makes of its blanks."""
    return " ".join(text.replace("│", " ").split())


def test_there_are_enough_rows():
    assert len(ROWS) >= 130

"""What keys do in the input line."""

from typing import cast

import pytest
from prompt_toolkit.key_binding import KeyPressEvent
from prompt_toolkit.keys import Keys
from testbed.keyboard import PASTE, typed

from agent_cli.frontends.terminal.below import Desk
from agent_cli.frontends.terminal.input import InputLine, Manner
from agent_cli.frontends.terminal.keys import REWIND, Action
from agent_cli.frontends.terminal.keys_at_work import bindings
from agent_cli.frontends.terminal.live_draft import LiveDraft

NEW_LINES = {
    "Ctrl+J": "\n",
    "Alt+Enter": "\x1b\r",
    "a backslash before Enter": "\\\r",
    "Shift+Enter as CSI u": "\x1b[13;2u",
    "Ctrl+Enter as CSI u": "\x1b[13;5u",
    "Shift+Enter as modifyOtherKeys": "\x1b[27;2;13~",
}


@pytest.mark.parametrize("keys", NEW_LINES.values(), ids=NEW_LINES)
def test_a_new_line(keys: str):
    assert typed(f"one{keys}two\r") == "one\ntwo"


def test_enter_sends():
    assert typed("one\r") == "one"


def test_a_draft_can_be_gone_on_with():
    assert typed(" and more\r", draft="this") == "this and more"


def test_ctrl_c_clears_what_is_there():
    assert typed("one\x03two\r") == "two"


def test_what_ctrl_c_has_cleared_can_be_brought_back():
    assert typed("one\x03\x1f\r") == "one"


def test_ctrl_c_on_an_empty_line_is_for_the_caller():
    with pytest.raises(KeyboardInterrupt):
        typed("one\x03\x03")


def test_ctrl_d_on_an_empty_line_ends():
    with pytest.raises(EOFError):
        typed("\x04")


def test_escape_twice_rewinds_where_that_is_offered():
    assert typed("\x1b\x1b", Manner(rewinds=True)) == REWIND


def test_escape_twice_leaves_a_line_alone():
    assert typed("one\x1b\x1b\x05\r", Manner(rewinds=True)) == "one"


def test_vi_keys():
    assert typed("one two\x1bbcwthree\r", Manner(editing="vi")) == "one three"


def test_vi_begins_lines_with_ctrl_j():
    assert typed("one\ntwo\r", Manner(editing="vi")) == "one\ntwo"


@pytest.mark.parametrize("key", [("s-tab", "\x1b[Z"), ("c-t", "\x14"), ("c-o", "\x0f")], ids=str)
def test_keys_that_others_fill(key: tuple[str, str]):
    pressed: list[str] = []
    actions = {key[0]: Action(lambda: pressed.append(key[0]))}
    assert typed(f"o{key[1]}ne\r", Manner(actions=actions)) == "one"
    assert pressed == [key[0]]


def test_an_action_that_prints_has_the_terminal_for_itself():
    printed: list[str] = []
    actions = {"c-o": Action(lambda: printed.append("all of it"), prints=True)}
    assert typed("o\x0fne\r", Manner(actions=actions)) == "one"
    assert printed == ["all of it"]


def test_ctrl_r_finds_what_was_typed_before(tmp_path):
    line = InputLine(Manner(tmp_path / "history"))
    assert typed("first thing\r", line=line) == "first thing"
    assert typed("second\r", line=line) == "second"
    assert typed("\x12FIRST\r\r", Manner(tmp_path / "history")) == "first thing"


def test_up_brings_back_what_was_typed_before(tmp_path):
    line = InputLine(Manner(tmp_path / "history"))
    typed("first\r", line=line)
    assert typed("\x1b[A\x1b[A!\r", line=line) == "first!"


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"], ids=["LF", "CR LF", "CR"])
def test_lines_that_are_pasted_are_not_sent(end: str):
    assert typed(PASTE.format(f"one{end}two{end}") + "\r") == "one\ntwo\n"


def test_what_is_pasted_while_searching_goes_into_the_search(tmp_path):
    line = InputLine(Manner(tmp_path / "history"))
    typed("first thing\r", line=line)
    keys = "\x12" + PASTE.format("irst") + "\r\r"
    assert typed(keys, Manner(tmp_path / "history")) == "first thing"


@pytest.mark.parametrize(("key", "text"), [(Keys.ControlJ, "  a"), (Keys.ControlM, "  a\\")])
def test_a_new_line_begins_at_the_edge_at_work_too(key: Keys, text: str):
    draft = LiveDraft()
    draft.insert(text)
    keys = bindings(Desk, draft, lambda *, again: None)
    keys.get_bindings_for_keys((key,))[0].handler(cast(KeyPressEvent, None))
    assert draft.buffer.text == "  a\n"

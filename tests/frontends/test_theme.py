"""Which theme a terminal gets."""

import pytest
from rich.style import Style

from agent_cli.frontends.terminal.theme import PLAIN, THEMES, choose_theme

CHOICES = [
    pytest.param({}, "auto", "ansi", id="nothing is known of the ground"),
    pytest.param({"COLORFGBG": "15;0"}, "auto", "dark", id="a dark ground"),
    pytest.param({"COLORFGBG": "0;default;15"}, "auto", "light", id="a light ground"),
    pytest.param({"COLORFGBG": "default;default"}, "auto", "ansi", id="a ground without a number"),
    pytest.param({"COLORFGBG": "15;0"}, "light", "light", id="the settings say it"),
    pytest.param({"NO_COLOR": "1"}, "dark", "none", id="no colours, whatever the settings say"),
    pytest.param({"NO_COLOR": ""}, "dark", "dark", id="an empty NO_COLOR says nothing"),
    pytest.param({"FORCE_COLOR": "0"}, "dark", "none", id="FORCE_COLOR says no"),
    pytest.param({"FORCE_COLOR": "1"}, "dark", "dark", id="FORCE_COLOR says yes"),
]
PLAIN_ONES = [
    pytest.param({"TERM": "dumb"}, id="a dumb terminal"),
    pytest.param({}, id="a terminal without a name"),
    pytest.param({"TERM": "xterm", "ACCESSIBLE": "1"}, id="a screen reader"),
    pytest.param({"ACCESSIBLE": "yes", "FORCE_COLOR": "1"}, id="a screen reader, and colours"),
]


@pytest.mark.parametrize(("environ", "name", "expected"), CHOICES)
def test_the_theme_is_what_the_terminal_can_show(environ, name, expected):
    assert choose_theme({"TERM": "xterm", **environ}, name) is THEMES[expected]


@pytest.mark.parametrize("environ", PLAIN_ONES)
def test_a_terminal_that_needs_words_gets_the_plain_one(environ):
    assert choose_theme(environ, "dark") is PLAIN


def test_plain_can_be_asked_for():
    assert choose_theme({"TERM": "xterm"}, "dark", plain=True) is PLAIN
    assert not choose_theme({"ACCESSIBLE": "false", "TERM": "xterm"}, "dark").plain


def styles(theme):
    fields = [name for name in theme.__struct_fields__ if name not in ("name", "plain")]
    return {name: getattr(theme, name) for name in fields}


@pytest.mark.parametrize("theme", THEMES.values(), ids=lambda theme: theme.name)
def test_every_style_is_one(theme):
    assert all(Style.parse(style) is not None for style in styles(theme).values())


def test_without_colours_there_are_none_and_plain_has_no_style_at_all():
    assert all(Style.parse(style).color is None for style in styles(THEMES["none"]).values())
    assert not any(styles(PLAIN).values())

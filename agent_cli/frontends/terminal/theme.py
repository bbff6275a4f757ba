"""How things look: a style for each role, chosen once and given to whoever shows something.

`plain` goes further than no colours: no boxes, nothing that moves or is drawn again, and words
where there would be signs, for terminals that can do nothing else and for screen readers.

A style is what rich calls one. Which theme `auto` is: `COLORFGBG` tells some terminals' background;
without it the sixteen colours of the terminal's own palette are the ones that are legible on it.
"""

from collections.abc import Mapping

from msgspec import Struct
from msgspec.structs import replace

from agent_cli.settings.schema import ThemeName


class Theme(Struct, frozen=True):
    name: str
    plain: bool = False

    dim: str = ""
    """What matters less."""
    accent: str = ""
    """What is ours: questions, headings of cards."""
    tool: str = ""
    """The sign of a tool call."""
    name_of_tool: str = ""
    ok: str = ""
    warning: str = ""
    error: str = ""
    subtask: str = ""
    reasoning: str = ""

    heading: str = ""
    top_heading: str = ""
    strong: str = ""
    emphasis: str = ""
    struck: str = ""
    inline_code: str = ""
    link: str = ""
    address: str = ""
    marker: str = ""
    """Bullets, bars of quotations, lines of tables."""

    added: str = ""
    removed: str = ""
    added_word: str = ""
    removed_word: str = ""
    place: str = ""
    """Where in a file a part of a diff is."""
    hidden: str = ""
    """Characters that would not be seen."""

    keyword: str = ""
    string: str = ""
    comment: str = ""
    number: str = ""
    definition: str = ""
    """Names of functions and classes where they are defined."""
    builtin: str = ""
    result: str = ""
    """The frame of a task's result."""

    def mark(self, sign: str, word: str) -> str:
        """Return the sign; where signs say nothing, the word."""
        return f"[{word}]" if self.plain else sign


_NONE = Theme(
    "none",
    dim="dim",
    accent="bold",
    tool="bold",
    name_of_tool="bold",
    ok="bold",
    warning="bold",
    error="bold",
    subtask="bold",
    reasoning="dim italic",
    heading="bold",
    top_heading="bold underline",
    strong="bold",
    emphasis="italic",
    struck="strike",
    inline_code="bold",
    link="underline",
    address="dim",
    marker="dim",
    removed="dim",
    added_word="underline",
    removed_word="underline",
    place="dim",
    hidden="reverse",
    keyword="bold",
    comment="dim italic",
    definition="bold",
    result="bold",
)
_ANSI = replace(
    _NONE,
    name="ansi",
    accent="bold cyan",
    tool="blue",
    ok="green",
    warning="yellow",
    error="red",
    subtask="magenta",
    heading="bold cyan",
    top_heading="bold cyan underline",
    inline_code="cyan",
    link="blue underline",
    added="green",
    removed="red",
    added_word="green reverse",
    removed_word="red reverse",
    place="cyan",
    keyword="magenta",
    string="green",
    number="cyan",
    definition="blue",
    builtin="cyan",
    result="green",
)
_DARK = replace(
    _ANSI,
    name="dark",
    dim="#8a919e",
    accent="bold #7dcfff",
    tool="#7aa2f7",
    ok="#9ece6a",
    warning="#e0af68",
    error="#f7768e",
    subtask="#bb9af7",
    reasoning="italic #8a919e",
    heading="bold #7dcfff",
    top_heading="bold underline #7dcfff",
    inline_code="#b4c7ee",
    link="underline #7aa2f7",
    address="#8a919e",
    marker="#6b7385",
    added="#9ece6a",
    removed="#f7768e",
    added_word="#d5f5b0 on #2f4a23",
    removed_word="#ffc4cf on #5a2430",
    place="#6bb3c9",
    hidden="#1a1b26 on #e0af68",
    keyword="#bb9af7",
    string="#9ece6a",
    comment="italic #7f8799",
    number="#ff9e64",
    definition="#7aa2f7",
    builtin="#7dcfff",
    result="#9ece6a",
)
_LIGHT = replace(
    _ANSI,
    name="light",
    dim="#6a7080",
    accent="bold #00639b",
    tool="#2e5fc4",
    ok="#3f7a0f",
    warning="#8a5a00",
    error="#b3213f",
    subtask="#7a3fc4",
    reasoning="italic #6a7080",
    heading="bold #00639b",
    top_heading="bold underline #00639b",
    inline_code="#334a7d",
    link="underline #2e5fc4",
    address="#6a7080",
    marker="#8a90a0",
    added="#2f6f0b",
    removed="#b3213f",
    added_word="#1d4a05 on #cdeeb5",
    removed_word="#7a1029 on #ffd3da",
    place="#0b6a80",
    hidden="#ffffff on #8a5a00",
    keyword="#7a3fc4",
    string="#2f6f0b",
    comment="italic #6a7080",
    number="#a34c00",
    definition="#2e5fc4",
    builtin="#006a86",
    result="#3f7a0f",
)
PLAIN = Theme("none", plain=True)
THEMES = {theme.name: theme for theme in (_DARK, _LIGHT, _ANSI, _NONE)}

_OFF = frozenset({"0", "false"})
_NO_MORE_THAN_SCROLL = frozenset({"", "dumb", "unknown"})
_LIGHT_GROUNDS = frozenset({"7", "15"})


def choose_theme(
    environ: Mapping[str, str], name: ThemeName = "auto", *, plain: bool = False
) -> Theme:
    """Return the theme for this terminal, as asked for in the settings or on the command line."""
    if plain or is_plain(environ):
        return PLAIN
    if environ.get("NO_COLOR") or environ.get("FORCE_COLOR") in _OFF:
        return _NONE
    if name != "auto":
        return THEMES[name]
    ground = environ.get("COLORFGBG", "").rpartition(";")[2]
    if not ground.isdecimal():
        return _ANSI
    return _LIGHT if ground in _LIGHT_GROUNDS else _DARK


def is_plain(environ: Mapping[str, str]) -> bool:
    """Whether the terminal, or who listens to it, needs plain lines of words.

    No program can see whether a screen reader runs: it may run on another machine. `ACCESSIBLE`
    is how people tell programs for the terminal.
    """
    if environ.get("TERM", "") in _NO_MORE_THAN_SCROLL:
        return True
    return environ.get("ACCESSIBLE", "").lower() not in {"", *_OFF}

"""The kinds of text outside a call: prose, thinking, a Markdown fence; and what ends each."""

import functools
import re

from msgspec import Struct

_INDENT = r"[ \t]{0,12}"
_THINKING = ("think", "thinking")


class Mode(Struct, frozen=True):
    """`event` is what can end the mode; it begins with `<`, or with the line end before a line."""

    event: re.Pattern[str]
    line: re.Pattern[str]
    """Matches a line, with the line end before it, that could still become an event."""
    tags: tuple[str, ...]
    """Tags that are events."""

    def held_from(self, window: str) -> int:
        """Return where the part of the window begins that could still become an event."""
        held = len(window)
        bracket = window.rfind("<")
        begun = window[bracket:]
        if bracket > 0 and any(tag != begun and tag.startswith(begun) for tag in self.tags):
            held = bracket
        line_end = window.rfind("\n")
        if line_end >= 0 and self.line.fullmatch(window, line_end):
            held = min(held, line_end + 1)
        return held


def prose(tools: tuple[str, ...]) -> Mode:
    """Text of the model in which calls, thinking and fences begin.

    A tag right after a backtick is inline code, so it is about the tool and no call of it.
    """
    tag = rf"<(?<!`<)(?:(?P<tool>{_any_of(tools)})|(?P<thinking>{_any_of(_THINKING)}))>"
    fence = (
        rf"\n{_INDENT}(?:(?P<ticks>`{{3,20}})[^`\n]{{0,80}}|(?P<tildes>~{{3,20}})[^\n]{{0,80}})\n"
    )
    line = rf"\n{_INDENT}(?:`{{0,20}}|`{{3,20}}[^`\n]{{0,80}}|~{{0,20}}|~{{3,20}}[^\n]{{0,80}})"
    tags = tuple(f"<{name}>" for name in (*tools, *_THINKING))
    return Mode(re.compile(f"{tag}|{fence}"), re.compile(line), tags)


@functools.cache
def thinking(name: str) -> Mode:
    """Return the mode that lasts until the thinking ends."""
    return Mode(re.compile(f"</{name}>"), re.compile("(?!)"), (f"</{name}>",))


@functools.cache
def fenced(mark: str) -> Mode:
    """Return the mode that lasts until a line closes the fence: its mark, as long or longer."""
    line = rf"\n{_INDENT}{mark[0]}{{0,40}}[ \t\r]{{0,80}}"
    event = rf"\n{_INDENT}{mark[0]}{{{len(mark)},40}}[ \t\r]{{0,80}}\n"
    return Mode(re.compile(event), re.compile(line), ())


def _any_of(names: tuple[str, ...]) -> str:
    return "|".join(map(re.escape, names)) or "(?!)"

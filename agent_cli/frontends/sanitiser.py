"""Untrusted text made safe to show: what cannot be seen becomes visible, nothing else changes.

Everything a model, a file, a tool or a server wrote passes here before it reaches a terminal or
a pipe. What is shown instead of a control character is ordinary text, so what remains can never
form a new sequence, and showing twice is showing once. The result does not depend on how the text
was cut into pieces; four things need memory for that:

- CR LF is a line end, while a lone CR is shown.
- Combining marks are kept, but for those that a character has too many of.
- Joiners are kept behind letters of scripts that join, and behind emoji, and shown elsewhere.
- Variation selectors are kept behind what has variants, and shown elsewhere.
"""

import re
import unicodedata

_MOST_MARKS = 6
"""Combining marks on one character; more than any living script stacks."""

_SUSPECT = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180e\u200b\u200e\u200f"
    "\u2028-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff0-\ufffb\ufffe\uffff\ud800-\udfff"
    "\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff]"
)
_NEEDS_MEMORY = re.compile(
    "[\u0300-\u036f\u0483-\u0489\u0591-\u1dff\u200c\u200d\u20d0-\u20ff\u2cef-\u2cf1\u2d7f"
    "\u2de0-\u2dff\u302a-\u302f\u3099\u309a\ua66f-\uabff\ufb1e\ufe00-\ufe0f\ufe20-\ufe2f"
    "\U000101fd-\U0001e94a]"
)
"""Blocks that hold marks, joiners and selectors; a text without them is done in one go."""
_JOINERS = frozenset("\u200c\u200d")
_JOINABLE = frozenset({"Lo", "Lm", "Mn", "Mc", "Me", "So", "Sk"})
_SELECTORS = frozenset("\u180b\u180c\u180d\u180f") | {chr(code) for code in range(0xFE00, 0xFE10)}
_WITH_VARIANTS = frozenset({"Lo", "So", "Sm", "Po", "Pd"})
_EMOJI_LETTERS = frozenset("#*0123456789\N{INFORMATION SOURCE}")
"""What only a selector makes an emoji."""


def visible(text: str) -> str:
    """Return the whole text with every control character shown."""
    sanitiser = Sanitiser()
    return sanitiser.feed(text) + sanitiser.flush()


def in_one_line(text: str) -> str:
    """Return the text with line ends and tabs shown too: a name must not look like two lines."""
    return visible(text.translate(_BLANKS))


_BLANKS = {code: 0x2400 + code for code in (0x09, 0x0A, 0x0D)}


class Sanitiser:
    """One stream of untrusted text."""

    def __init__(self) -> None:
        self._carriage_return = False
        self._marks = 0
        self._last = ""
        """The last character that was returned."""

    def feed(self, text: str) -> str:
        """Return what can be shown of the text so far."""
        if self._carriage_return:
            text = "\r" + text
            self._carriage_return = False
        if text.endswith("\r"):
            text = text[:-1]
            self._carriage_return = True
        if "\r" in text:
            text = text.replace("\r\n", "\n")
        if not text:
            return ""
        if not text.isascii() and _NEEDS_MEMORY.search(text):
            return "".join([self._character(character) for character in text])
        shown = _SUSPECT.sub(_show, text)
        self._marks = 0
        self._last = shown[-1]
        return shown

    def flush(self) -> str:
        """Return what was held back, and begin afresh."""
        held = self._carriage_return
        self._carriage_return, self._marks, self._last = False, 0, ""
        return _show_character("\r") if held else ""

    def _character(self, character: str) -> str:
        shown = character if self._fits(character) else _show_character(character)
        self._last = shown[-1]
        return shown

    def _fits(self, character: str) -> bool:
        """Whether the character can be kept behind what came before; counts marks."""
        if character in _JOINERS:
            return unicodedata.category(self._last or " ") in _JOINABLE
        if _SUSPECT.match(character):
            self._marks = 0
            return False
        if unicodedata.category(character) not in {"Mn", "Me"}:
            self._marks = 0
            return True
        self._marks += 1
        if self._marks > _MOST_MARKS:
            return False
        return character not in _SELECTORS or _has_variants(self._last)


def _has_variants(character: str) -> bool:
    if not character or character.isascii() or character in _EMOJI_LETTERS:
        return character in _EMOJI_LETTERS
    return unicodedata.category(character) in _WITH_VARIANTS


def _show(match: re.Match[str]) -> str:
    return _show_character(match[0])


def _show_character(character: str) -> str:
    code = ord(character)
    if code < 0x20:  # noqa: PLR2004 - the C0 controls have pictures of their own
        return chr(0x2400 + code)
    return "␡" if character == "\x7f" else f"<U+{code:04X}>"

"""Untrusted text made safe to show: control characters become visible, nothing else changes.

Everything a model, a file, a tool or a server wrote passes here before it reaches a terminal or
a pipe. The mapping is character by character, so what remains can never form a new sequence and
the result does not depend on how the text was cut into pieces, but for two things that need
memory: CR LF is a line end while a lone CR is shown, and long runs of combining marks are shown.
"""

import re
import unicodedata

_MOST_MARKS = 6
"""Combining marks in a row; more than any living script stacks."""

_SUSPECT = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180e\u200b\u200e\u200f"
    "\u2028-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff0-\uffff\ud800-\udfff"
    "\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff]"
)
_MARKS = re.compile(
    r"[\u0300-\u036f\u0483-\u0489\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f]"
)


def visible(text: str) -> str:
    """Return the whole text with every control character shown."""
    sanitiser = Sanitiser()
    return sanitiser.feed(text) + sanitiser.flush()


class Sanitiser:
    """One stream of untrusted text."""

    def __init__(self) -> None:
        self._carriage_return = False
        self._marks = 0

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
        if not text.isascii():
            text = self._limit_marks(text)
        else:
            self._marks = 0 if text else self._marks
        return _SUSPECT.sub(_show, text)

    def flush(self) -> str:
        """Return what was held back."""
        held, self._carriage_return = self._carriage_return, False
        return _show_character("\r") if held else ""

    def _limit_marks(self, text: str) -> str:
        if not self._marks and not _MARKS.search(text):
            return text
        pieces: list[str] = []
        for character in text:
            self._marks = self._marks + 1 if unicodedata.combining(character) else 0
            flood = self._marks > _MOST_MARKS
            pieces.append(_show_character(character) if flood else character)
        return "".join(pieces)


def _show(match: re.Match[str]) -> str:
    return _show_character(match[0])


def _show_character(character: str) -> str:
    code = ord(character)
    if code < 0x20:  # noqa: PLR2004 - the C0 controls have pictures of their own
        return chr(0x2400 + code)
    return "␡" if character == "\x7f" else f"<U+{code:04X}>"

"""Long texts and images in the input line: each is one character there, and shown by its label.

The character is a private one of the last plane, which nothing uses; what brings such characters
along is folded itself, so that none in the line is mistaken for a fold.
"""

import re

from msgspec import Struct

from agent_cli.i18n.catalog import say
from agent_cli.types.messages import Image

_FIRST = 0x100000
_FOLDS = re.compile("[\U00100000-\U0010fffd]")
_MOST_LINES = 10
"""Lines that are shown as they are."""
_MOST_CHARACTERS = 1_000
"""Characters that are."""


class Fold(Struct, frozen=True):
    label: str
    text: str
    """What it stands for."""
    image: Image | None = None


def is_long(text: str) -> bool:
    """Whether a text is more than is shown as it is."""
    return len(text) > _MOST_CHARACTERS or text.count("\n") >= _MOST_LINES


def label_of(text: str) -> str:
    """Return what is shown for a text."""
    lines = text.count("\n") + 1
    if lines > _MOST_LINES:
        return say("[pasted {lines:,} lines]", lines=lines)
    return say("[pasted {characters:,} characters]", characters=len(text))


class Folds:
    """What was folded in one run. It only grows, for the history and undo may bring it back."""

    def __init__(self) -> None:
        self._folds: dict[str, Fold] = {}
        self._characters: dict[Fold, str] = {}

    def fold(self, fold: Fold) -> str:
        """Return the character that stands for it in the line."""
        known = self._characters.get(fold)
        if known is None:
            known = self._characters[fold] = chr(_FIRST + len(self._folds))
            self._folds[known] = fold
        return known

    def taken_in(self, text: str) -> str:
        """Return a text as it goes into the line."""
        if is_long(text) or _FOLDS.search(text):
            return self.fold(Fold(label_of(text), text))
        return text

    def label(self, character: str) -> str | None:
        """Return what is shown for the character; None if it is no fold."""
        fold = self._folds.get(character)
        return None if fold is None else fold.label

    def unfolded(self, line: str) -> str:
        """Return the line with what was folded."""
        return _FOLDS.sub(lambda match: self._text(match[0]), line)

    def spread(self, line: str) -> str:
        """Return the line with the texts that were folded; an image stays what it is."""
        return _FOLDS.sub(lambda match: self._spread(match[0]), line)

    def images(self, line: str) -> tuple[Image, ...]:
        """Return the images in the line, in order."""
        folds = [self._folds.get(character) for character in _FOLDS.findall(line)]
        return tuple(fold.image for fold in folds if fold is not None and fold.image is not None)

    def _spread(self, character: str) -> str:
        fold = self._folds.get(character)
        return character if fold is None or fold.image is not None else fold.text

    def _text(self, character: str) -> str:
        fold = self._folds.get(character)
        return character if fold is None else fold.text

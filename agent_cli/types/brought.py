"""What a person or a trusted project brings along in Markdown: modes, skills, commands, rules."""

import re

from msgspec import Struct

_PLACES = re.compile(r"\$(?:ARGUMENTS\b|([1-9])(?!\d))")
_WORD = re.compile(r"\"([^\"]*)\"|'([^']*)'|(\S+)")


class Brought(Struct, frozen=True):
    """One file."""

    folder: str
    """`modes`, `skills`, `commands`, `rules`, or `rules-` and the slug of a mode."""
    name: str
    """Its path below that folder: `review.md`, `pdf/SKILL.md`."""
    path: str
    """Where it lies; relative to the workspace for what is the project's."""
    text: str
    project: bool = False


class Skill(Struct, frozen=True):
    """Instructions for one kind of work, given to the model when it asks for them."""

    name: str
    description: str
    text: str
    path: str
    """Of its SKILL.md: other files that it speaks of lie beside it."""


class SlashCommand(Struct, frozen=True):
    """A prompt with a name, for the user to type and for the model to run."""

    name: str
    description: str
    body: str
    path: str
    hint: str = ""
    """What its arguments are."""
    mode: str = ""
    """The mode that it works in; empty for any."""

    def expanded(self, arguments: str) -> str:
        """Return the body with `$ARGUMENTS` and `$1` to `$9` filled in.

        Blanks part words, quotes hold them together; a word that is not there is empty. What is
        filled in is not expanded again.
        """
        words = [one[1] or one[2] or one[3] or "" for one in _WORD.finditer(arguments)]

        def fill(found: re.Match[str]) -> str:
            if not found[1]:
                return arguments
            number = int(found[1])
            return words[number - 1] if number <= len(words) else ""

        return _PLACES.sub(fill, self.body)

"""One reply of the upstream, and what of it the client gets to see."""

from enum import StrEnum
from typing import Any

from msgspec import Raw, Struct


class Call(Struct, frozen=True):
    id: str
    name: str
    """Empty for a kind of call that can only be the client's."""
    arguments: str
    """JSON text, byte for byte."""
    known_as: str = ""
    """What a call without a name is called in reports."""

    @property
    def shown_name(self) -> str:
        return self.name or self.known_as


class Role(StrEnum):
    """What a part of a reply is."""

    TEXT = "text"
    THOUGHT = "thought"
    CALL = "call"
    OTHER = "other"
    """Whatever the provider has done itself, and what nobody knows yet."""


class Part(Struct, frozen=True):
    role: Role
    raw: Raw
    """The block or item as it came, or the call with an id that it had to be given."""
    text: str = ""
    call: Call | None = None


class Turn(Struct, frozen=True):
    """One reply of the upstream, whole."""

    parts: tuple[Part, ...]
    finish: str
    """In the dialect's own words."""
    usage: dict[str, Any]
    head: dict[str, Any]
    """The reply without its parts: id, model and whatever else stands beside them."""
    extra: dict[str, Any] = {}
    """What belongs to the message and is no part of it."""
    cut: bool = False
    bound: bool = False
    """The reply holds reasoning that the provider wants back with all calls of the turn."""
    repaired: bool = False
    """A call had to be given an id."""

    @property
    def calls(self) -> tuple[Call, ...]:
        return tuple(part.call for part in self.parts if part.call is not None)

    @property
    def text(self) -> str:
        return "".join(part.text for part in self.parts if part.role is Role.TEXT)


class View(Struct, frozen=True):
    """What a client gets to see before a reply is whole, and of hidden rounds."""

    native_at_once: bool = False
    """The client's own calls pass as they come, until a managed one comes."""
    thoughts_at_once: bool = False
    """Reasoning passes before it is known whether its round is hidden."""
    hidden_thoughts: bool = False
    """Reasoning of hidden rounds is shown, whatever follows it."""
    all_words: bool = True
    """Words of hidden rounds are shown."""
    done_after_error: bool = False


class Round(Struct, frozen=True):
    """A turn, and what the client gets to see of it."""

    turn: Turn
    view: View
    release: tuple[int, ...] = ()
    """Places among the calls."""
    last: bool = False
    """Its end is the end of the answer."""

    @property
    def text(self) -> str:
        """The visible words."""
        return self.turn.text if self.last or self.view.all_words else ""

    @property
    def shows_thoughts(self) -> bool:
        """Whether all reasoning is shown, whatever follows it."""
        return self.last or self.view.hidden_thoughts

    @property
    def shown(self) -> list[Part]:
        """The visible parts in their order."""
        found: list[Part] = []
        place = -1
        for number, part in enumerate(self.turn.parts):
            if part.role is Role.CALL:
                place += 1
                if place in self.release:
                    found.append(part)
            elif self._shows(part, number):
                found.append(part)
        return found

    def _shows(self, part: Part, number: int) -> bool:
        words = self.last or self.view.all_words
        if part.role is not Role.THOUGHT:
            return words
        return self.shows_thoughts or (words and self._leads_to_text(number))

    def _leads_to_text(self, number: int) -> bool:
        """Whether something that is shown at once follows the thought; a call would hide it."""
        later = (part.role for part in self.turn.parts[number:] if part.role is not Role.THOUGHT)
        return next(later, Role.CALL) is not Role.CALL


class Stretch(Struct, frozen=True):
    """What one reply of ours has become in a client's history."""

    start: int
    end: int
    """Places in the history, half open."""
    text: str
    calls: tuple[Call, ...]

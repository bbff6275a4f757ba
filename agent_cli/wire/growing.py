"""What is made of a conversation, made again only where the conversation is another."""

from collections.abc import Callable
from operator import is_
from typing import Any, TypeVar

M = TypeVar("M")
T = TypeVar("T")


class Growing:
    """Follows a tuple that mostly grows at its end; its members are known by identity.

    It holds what it was given last, and nothing that came before and is gone.
    """

    def __init__(self) -> None:
        self._members: tuple[object, ...] = ()
        self._made: Any = None

    def of(self, members: tuple[M, ...], begin: Callable[[], T], add: Callable[[T, M], None]) -> T:
        """Return what `begin` gives, with each member added, not to be changed by the caller.

        The members that were there last time have been added to it. Must always be called with
        functions that do the same.
        """
        known = len(self._members)
        grows = 0 < known <= len(members) and all(map(is_, self._members, members))
        made: T = self._made if grows else begin()
        self._members = ()  # if adding raises, nothing is known
        for member in members[known if grows else 0 :]:
            add(made, member)
        self._members, self._made = members, made
        return made

"""The whole boundary between a session and whoever is watching it."""

from collections.abc import Sequence
from typing import Protocol

from agent_cli.types.approval import Request, Verdict
from agent_cli.types.events import Event


class Frontend(Protocol):
    """Listens to events and answers questions; it cannot do more."""

    def emit(self, event: Event) -> None:
        """Show the event. Never blocks, never raises."""
        ...

    async def approve(self, requests: Sequence[Request]) -> Sequence[Verdict]:
        """Return one verdict per request, in order.

        Where nobody can be asked: `Verdict(approved=False, answered=False)`, at once.
        """
        ...

    async def ask(self, question: str, suggestions: tuple[str, ...] = ()) -> str | None:
        """Return the user's answer; None where nobody can be asked."""
        ...

    async def feedback(self) -> str | None:
        """Ask what the user thinks of the result just shown, and return it.

        An empty answer accepts it; None says that nobody could be asked, which accepts it too.
        """
        ...

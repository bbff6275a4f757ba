"""What may stand below the output while the agent works, and what its keys mean."""

from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Protocol

from msgspec import Struct

from agent_cli.frontends.terminal.input import ReadLine


def _nothing() -> None: ...


def _take_nothing(_: str) -> None: ...


class Desk(Struct, frozen=True):
    """What becomes of lines and keys while work goes on."""

    enter: Callable[[str], None] = _take_nothing
    """A line was entered."""
    queued: Callable[[], Sequence[str]] = tuple
    """Lines that wait to be delivered."""
    take_back: Callable[[], str] = str
    """Take the last of them back, to be edited; empty if there is none."""
    expand: Callable[[], None] = _nothing
    """Show the last folded output whole."""
    todos: Callable[[], None] = _nothing
    cycle: Callable[[], None] = _nothing
    """Go on to the next way to approve."""


class Below(Protocol):
    """Entered for the length of some work; `asking` reads an answer in the middle of it."""

    def working(self, desk: Desk) -> AbstractAsyncContextManager[None]: ...

    def asking(self, read: ReadLine) -> ReadLine:
        """Return a reader that has the bottom of the terminal to itself meanwhile."""
        ...

    def stopping(self) -> None:
        """Show that the work is being stopped."""
        ...

    def take_draft(self) -> str:
        """Return what was typed and not entered."""
        ...


class NothingBelow:
    """For a terminal that can do no more than scroll."""

    @asynccontextmanager
    async def working(self, desk: Desk) -> AsyncGenerator[None, None]:
        yield

    def asking(self, read: ReadLine) -> ReadLine:
        return read

    def stopping(self) -> None: ...

    def take_draft(self) -> str:
        return ""

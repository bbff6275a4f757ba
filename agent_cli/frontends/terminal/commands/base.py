"""What a slash command is, what it may look at, and what it may answer."""

from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any, TypeAlias

from msgspec import Struct
from rich.console import RenderableType
from rich.text import Text

from agent_cli.frontends.terminal.event_view import EventView
from agent_cli.frontends.terminal.input import ReadLine
from agent_cli.frontends.terminal.theme import Theme
from agent_cli.frontends.terminal.writer import Writer
from agent_cli.runtime.agent import Agent
from agent_cli.runtime.toolbox import Options
from agent_cli.settings.schema import Settings


class Outside(Struct, frozen=True):
    """What the session that runs was begun with."""

    settings: Settings
    options: Options
    doctor: Callable[[], str]
    """Says what `agent doctor` says; it takes a while."""


class Here(Struct, frozen=True):
    """What a command may look at, and speak through."""

    agent: Agent
    writer: Writer
    ask: ReadLine
    """For one more line from the user; raises EOFError and KeyboardInterrupt."""
    outside: Outside
    view: EventView

    @property
    def theme(self) -> Theme:
        return self.view.theme

    def show(self, answer: RenderableType) -> None:
        """Print what a command has to say; nothing for an empty text."""
        if answer != "":
            self.writer.show(Text(answer) if isinstance(answer, str) else answer)


class Elsewhere(Struct, frozen=True):
    """The session in which to go on, when this one is left as it is."""

    path: Path | None = None
    """Its file; None for a new session."""
    fork: bool = False
    """Not in it, but in a new one with the same beginning."""


class Leave(Struct, frozen=True):
    """The user wants to leave: the program, or this session for another."""

    to: Elsewhere | None = None


class Draft(Struct, frozen=True):
    """What the user's next line begins with."""

    text: str


class Prompt(Struct, frozen=True):
    """What the model is told on behalf of the user."""

    text: str


Answer: TypeAlias = RenderableType | Leave | Draft | Prompt
"""Something to show, empty for nothing; or what only the loop can do.

A text is shown as it is: what in it is not ours must have been made visible.
"""

Run: TypeAlias = Callable[[Here, str], Answer | Coroutine[Any, Any, Answer]]
"""Gets what stands behind the name. What takes a while is a coroutine, which can be interrupted."""


class Command(Struct, frozen=True, kw_only=True):
    name: str
    help: str
    """One line: what it does."""
    run: Run
    aliases: tuple[str, ...] = ()
    hint: str = ""
    """The arguments as /help shows them."""
    while_working: bool = False
    """Whether it may be run while the agent is at work: it only looks."""
    acts: bool = False
    """With an argument it does more than look, and has to wait."""

    def looks(self, argument: str) -> bool:
        """Whether it may be run with this argument while the agent is at work."""
        return self.while_working and not (self.acts and argument)

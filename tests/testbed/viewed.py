"""What a person at a terminal has seen at the end of some events."""

import io
from collections.abc import Callable, Iterable
from typing import Any

from rich.console import Console

from agent_cli.frontends.terminal.event_view import EventView
from agent_cli.frontends.terminal.theme import THEMES, Theme
from agent_cli.frontends.terminal.writer import Writer
from agent_cli.types.entries import AssistantSaid, CallFinished, CallStarted, Entry
from agent_cli.types.events import Appended, Event
from agent_cli.types.messages import AssistantMessage, ToolCall, ToolResult
from agent_cli.types.outcomes import Outcome

NONE = THEMES["none"]


class _Bottom:
    """There is one, and nobody looks at it."""

    def changed(self) -> None: ...


def viewed(
    *events: Event,
    width: int = 80,
    theme: Theme = NONE,
    first: Callable[[EventView], object] | None = None,
    then: Callable[[EventView], object] | None = None,
) -> str:
    """Return what stands there: with a live bottom, but in plain themes."""
    file = io.StringIO()
    writer = Writer(Console(file=file, width=width, color_system=None, force_terminal=False))
    if not theme.plain:
        writer.attach(_Bottom())
    view = EventView(writer, theme)
    if first is not None:
        first(view)
    for event in events:
        view.emit(event)
    if then is not None:
        then(view)
    writer.end_stream()
    return file.getvalue() if theme.plain else writer.detach()


def told(*entries: Entry) -> list[Event]:
    return [Appended(0, "", entry) for entry in entries]


def call(
    name: str, arguments: str = "{}", content: str = "", between: Iterable[Event] = (), **ended: Any
) -> list[Event]:
    """Return the events of one call that was started and has ended, ok if nothing else is said."""
    seconds = ended.pop("seconds", 0.0)
    result = ToolResult("c", **{"outcome": Outcome.OK, "content": content, **ended})
    return [
        *told(AssistantSaid(AssistantMessage((ToolCall("c", name, arguments),)))),
        *told(CallStarted("c")),
        *between,
        *told(CallFinished(result, seconds=seconds)),
    ]

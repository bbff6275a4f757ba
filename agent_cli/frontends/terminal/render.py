"""The terminal as a frontend: shows what happens, asks what has to be asked."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import TypeAlias

from rich.console import RenderableType
from rich.text import Text

from agent_cli.frontends.sanitiser import visible
from agent_cli.frontends.terminal.approving import Approving
from agent_cli.frontends.terminal.event_view import EventView
from agent_cli.frontends.terminal.progress_line import Doing
from agent_cli.frontends.terminal.theme import THEMES, Theme
from agent_cli.frontends.terminal.writer import Writer
from agent_cli.i18n.catalog import say
from agent_cli.types.approval import Diff, Request, Verdict
from agent_cli.types.events import Event

ReadLine: TypeAlias = Callable[[str], Awaitable[str]]


class TerminalFrontend:
    """Shows one session on a terminal; `read_line` asks for a line of input."""

    def __init__(
        self,
        writer: Writer,
        read_line: ReadLine,
        theme: Theme = THEMES["ansi"],
        doing: Doing | None = None,
        choose: ReadLine | None = None,
    ) -> None:
        """`choose` reads an answer for which one key can be enough."""
        self.view = EventView(writer, theme)
        self._doing = doing or Doing()
        self._writer = writer
        self._read_line = read_line
        self._choose = choose

    def emit(self, event: Event) -> None:
        self._doing.take(event)
        self.view.emit(event)

    async def approve(self, requests: Sequence[Request]) -> Sequence[Verdict]:
        for request in requests:
            if isinstance(request.preview, Diff):
                self.view.saw(request.call_id, request.preview.unified)
        return await Approving(self._show, self._choice, self.view.theme).verdicts(requests)

    async def ask(self, question: str, suggestions: tuple[str, ...] = ()) -> str | None:
        self.view.show(Text(visible(question), style=self.view.theme.accent), "question")
        for number, suggestion in enumerate(suggestions, 1):
            self._writer.show(Text(f"  {number}. {visible(suggestion)}"))
        answer = (await self._line("? ")).strip()
        if answer.isdecimal() and 0 < int(answer) <= len(suggestions):
            return suggestions[int(answer) - 1]
        return answer

    async def feedback(self) -> str | None:
        return (await self._line(say("Enter accepts; anything else is feedback: "))).strip()

    def _show(self, renderable: RenderableType) -> None:
        self.view.show(renderable, "question")

    async def _choice(self, prompt: str) -> str:
        return await self._line(prompt, self._choose)

    async def _line(self, prompt: str, read: ReadLine | None = None) -> str:
        self._writer.end_stream()
        try:
            return await (read or self._read_line)(prompt)
        except (KeyboardInterrupt, EOFError) as error:
            raise asyncio.CancelledError from error  # Ctrl-C at a question cancels the turn

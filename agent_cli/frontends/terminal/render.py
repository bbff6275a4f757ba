"""The terminal as a frontend: shows what happens, asks what has to be asked."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence

from rich.text import Text

from agent_cli.frontends.sanitiser import visible
from agent_cli.frontends.terminal.approval_card import approval_card, question, read_verdict
from agent_cli.frontends.terminal.event_view import EventView
from agent_cli.frontends.terminal.progress_line import Doing
from agent_cli.frontends.terminal.theme import THEMES, Theme
from agent_cli.frontends.terminal.writer import Writer
from agent_cli.i18n.catalog import say
from agent_cli.types.approval import Diff, Request, Verdict
from agent_cli.types.events import Event


class TerminalFrontend:
    """Shows one session on a terminal; `read_line` asks for a line of input."""

    def __init__(
        self,
        writer: Writer,
        read_line: Callable[[str], Awaitable[str]],
        theme: Theme = THEMES["ansi"],
        doing: Doing | None = None,
    ) -> None:
        self.view = EventView(writer, theme)
        self._doing = doing or Doing()
        self._writer = writer
        self._read_line = read_line
        self._theme = theme

    def emit(self, event: Event) -> None:
        self._doing.take(event)
        self.view.emit(event)

    async def approve(self, requests: Sequence[Request]) -> Sequence[Verdict]:
        verdicts: list[Verdict] = []
        for request in requests:
            self.view.show(approval_card(request), "question")
            if isinstance(request.preview, Diff):
                self.view.saw(request.call_id, request.preview.unified)
            verdicts.append(read_verdict(await self._line(question())))
        return verdicts

    async def ask(self, question: str, suggestions: tuple[str, ...] = ()) -> str | None:
        self.view.show(Text(visible(question), style=self._theme.accent), "question")
        for number, suggestion in enumerate(suggestions, 1):
            self._writer.show(Text(f"  {number}. {visible(suggestion)}"))
        answer = (await self._line("? ")).strip()
        if answer.isdecimal() and 0 < int(answer) <= len(suggestions):
            return suggestions[int(answer) - 1]
        return answer

    async def feedback(self) -> str | None:
        return (await self._line(say("Enter accepts; anything else is feedback: "))).strip()

    async def _line(self, prompt: str) -> str:
        self._writer.end_stream()
        try:
            return await self._read_line(prompt)
        except (KeyboardInterrupt, EOFError) as error:
            raise asyncio.CancelledError from error  # Ctrl-C at a question cancels the turn

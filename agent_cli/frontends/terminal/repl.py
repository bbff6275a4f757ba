"""The loop of a person at a terminal: read, work, show, again."""

from collections.abc import Awaitable, Callable

from rich.text import Text

from agent_cli.engine.steps import Awaiting
from agent_cli.frontends.messages import (
    budget_message,
    ending_message,
    hook_message,
    provider_verdict,
)
from agent_cli.frontends.sanitiser import visible
from agent_cli.frontends.terminal.interrupt import interruptible
from agent_cli.frontends.terminal.slash_commands import Leave, is_prompt, run_command
from agent_cli.frontends.terminal.writer import Writer
from agent_cli.i18n.catalog import say
from agent_cli.runtime.agent import Agent
from agent_cli.types.errors import HookError, ProviderError


class Repl:
    """One person, one agent."""

    def __init__(
        self, agent: Agent, writer: Writer, read_line: Callable[[str], Awaitable[str]]
    ) -> None:
        self._agent = agent
        self._writer = writer
        self._read_line = read_line
        self._leaving = False

    async def run(self, first: str = "", *, once: bool = False) -> None:
        """Go on until the user leaves; `first` is what was said on the command line."""
        if first:
            await self._turn(first, once=once)
        if once:
            return
        while (line := await self._next()) is not None:
            if not is_prompt(self._agent, line):
                try:
                    shown = run_command(self._agent, line)
                except Leave:
                    return
                self._writer.show(Text(shown))
            elif line:
                await self._turn(line)

    async def _next(self) -> str | None:
        try:
            line = (await self._read_line("> ")).strip()
        except EOFError:
            return None
        except KeyboardInterrupt:
            if self._leaving:
                return None
            self._leaving = True
            self._writer.show(Text(say("Ctrl-C again leaves"), style="dim"))
            return ""
        self._leaving = False
        return line

    async def _turn(self, text: str, *, once: bool = False) -> None:
        try:
            awaiting = await interruptible(self._agent.submit(text))
        except ProviderError as error:
            message = ending_message(provider_verdict(error), str(error))
            self._writer.show(Text(message, style="bold red"))
            return
        except HookError as error:
            self._writer.show(Text(visible(hook_message(error)), style="bold red"))
            return
        self._writer.end_stream()
        remark = _remark(awaiting, once=once)
        if remark:
            self._writer.show(Text(remark, style="yellow"))


def _remark(awaiting: Awaiting | None, *, once: bool) -> str:
    match awaiting:
        case None:
            return say("interrupted") if once else say("interrupted; the session goes on")
        case Awaiting.STOPPED_SHORT:
            return say("the model stopped without completing the task; say how to go on")
        case Awaiting.STUCK:
            return say("calls failed in each of the last messages; say how to go on")
        case Awaiting.LIMIT:
            return budget_message()
        case _:
            return ""

"""The loop of a person at a terminal: read, work, show, again."""

from collections.abc import Coroutine
from enum import Enum, auto
from typing import Any, Final, TypeVar

from rich.text import Text

from agent_cli.frontends.messages import (
    ending_message,
    hook_message,
    provider_verdict,
    remark,
)
from agent_cli.frontends.sanitiser import visible
from agent_cli.frontends.terminal.input import ReadLine, line_reader
from agent_cli.frontends.terminal.interrupt import interruptible
from agent_cli.frontends.terminal.rewinding import rewind
from agent_cli.frontends.terminal.slash_commands import (
    Fork,
    Leave,
    Rewind,
    is_prompt,
    run_command,
)
from agent_cli.frontends.terminal.writer import Writer
from agent_cli.i18n.catalog import say
from agent_cli.runtime.agent import Agent
from agent_cli.types.errors import HookError, ProviderError

T = TypeVar("T")


class Failed(Enum):
    FAILED = auto()


FAILED: Final = Failed.FAILED


class Repl:
    """One person, one agent."""

    def __init__(self, agent: Agent, writer: Writer, read_line: ReadLine) -> None:
        self._agent = agent
        self._writer = writer
        self._read_line = read_line
        self._leaving = False
        self._draft = ""
        """What the next line begins with."""
        self.forks = False
        """The user went on from here to a fork of the session."""

    async def run(self, first: str = "", *, once: bool = False) -> None:
        """Go on until the user leaves; `first` is what was said on the command line."""
        if first:
            await self._turn(first, once=once)
        if once:
            return
        while (line := await self._next()) is not None:
            if not is_prompt(self._agent, line):
                try:
                    await self._command(line)
                except Leave:
                    return
            elif line:
                await self._turn(line)

    async def _next(self) -> str | None:
        try:
            draft, self._draft = self._draft, ""
            line = (await self._read_line("> ", draft)).strip()
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

    async def _command(self, line: str) -> None:
        shown = run_command(self._agent, line)
        if isinstance(shown, Rewind):
            ask = line_reader(None)
            self._draft = await rewind(self._agent, self._writer, ask, shown.number)
            return
        if isinstance(shown, Fork):
            self._fork()
            return
        if not isinstance(shown, str):
            done = await self._watched(shown)
            if done is FAILED:
                return
            shown = say("interrupted") if done is None else done
        if shown:
            self._writer.show(Text(shown))

    def _fork(self) -> None:
        if self._agent.session.path is None:
            self._writer.show(Text(say("this session is kept nowhere, so it cannot be forked")))
            return
        self.forks = True
        raise Leave

    async def _turn(self, text: str, *, once: bool = False) -> None:
        awaiting = await self._watched(self._agent.submit(text))
        if awaiting is FAILED:
            return
        self._writer.end_stream()
        said = remark(awaiting, self._agent.session.state.task.limit, once=once)
        if said:
            self._writer.show(Text(said, style="yellow"))

    async def _watched(self, work: Coroutine[Any, Any, T]) -> "T | Failed | None":
        """Do the work; None says that it was interrupted, FAILED that the user was told why."""
        try:
            return await interruptible(work)
        except ProviderError as error:
            message = ending_message(provider_verdict(error), str(error))
        except HookError as error:
            message = visible(hook_message(error))
        self._writer.show(Text(message, style="bold red"))
        return FAILED

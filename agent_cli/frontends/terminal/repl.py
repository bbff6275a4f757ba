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
from agent_cli.frontends.terminal.below import Below
from agent_cli.frontends.terminal.commands import registry
from agent_cli.frontends.terminal.commands.base import (
    Answer,
    Draft,
    Elsewhere,
    Here,
    Leave,
    Prompt,
)
from agent_cli.frontends.terminal.input import ReadMessage
from agent_cli.frontends.terminal.interrupt import interruptible
from agent_cli.frontends.terminal.meanwhile import desk, left_over
from agent_cli.frontends.terminal.shell_line import is_shell_line, run_shell_line
from agent_cli.i18n.catalog import say
from agent_cli.types.errors import HookError, ProviderError
from agent_cli.types.messages import Image

T = TypeVar("T")


class Failed(Enum):
    FAILED = auto()


FAILED: Final = Failed.FAILED


class Repl:
    """One person, one agent."""

    def __init__(self, here: Here, read_line: ReadMessage, below: Below) -> None:
        self._here = here
        self._agent = here.agent
        self._writer = here.writer
        self._read_line = read_line
        self._below = below
        self._leaving = False
        self._draft = ""
        """What the next line begins with."""

    async def run(self, first: str = "", *, once: bool = False) -> Elsewhere | None:
        """Go on until the user leaves; return the session to go on in, if there is one.

        `first` is what was said on the command line.
        """
        if first:
            await self._turn(first, once=once)
        if once:
            return None
        while (line := await self._next()) is not None:
            if is_shell_line(line):
                await self._shell(line)
            elif not registry.is_prompt(self._agent.customs, line):
                left = await self._command(line)
                if left is not None:
                    return left.to
            elif line:
                await self._turn(line, self._read_line.images)
        return None

    async def _next(self) -> str | None:
        try:
            draft = self._draft or left_over(self._here, self._below.take_draft())
            self._draft = ""
            line = (await self._read_line("> ", draft)).strip()
        except EOFError:
            return None
        except KeyboardInterrupt:
            if self._leaving:
                return None
            self._leaving = True
            self._writer.show(Text(say("Ctrl-C again leaves"), style=self._here.theme.dim))
            return ""
        self._leaving = False
        return line

    async def _shell(self, line: str) -> None:
        said = await self._watched(run_shell_line(self._here, line))
        if said is not FAILED:
            await self._answered(say("interrupted") if said is None else said)

    async def _command(self, line: str) -> Leave | None:
        """Do what the command says; return that the user wants to leave, if so."""
        answer = registry.run(self._here, line)
        if isinstance(answer, Coroutine):
            done = await self._watched(answer)
            if done is FAILED:
                return None
            answer = say("interrupted") if done is None else done
        if isinstance(answer, Leave):
            return answer
        await self._answered(answer)
        return None

    async def _answered(self, answer: Answer) -> None:
        if isinstance(answer, Draft):
            self._draft = answer.text
        elif isinstance(answer, Prompt):
            await self._turn(answer.text)
        elif not isinstance(answer, Leave):
            self._here.show(answer)

    async def _turn(self, text: str, images: tuple[Image, ...] = (), *, once: bool = False) -> None:
        awaiting = await self._watched(self._agent.submit(text, images))
        if awaiting is FAILED:
            return
        self._writer.end_stream()
        said = remark(awaiting, self._agent.session.state.task.limit, once=once)
        if said:
            self._writer.show(Text(said, style=self._here.theme.warning))

    async def _watched(self, work: Coroutine[Any, Any, T]) -> "T | Failed | None":
        """Do the work; None says that it was interrupted, FAILED that the user was told why."""
        try:
            return await interruptible(work, self._below, desk(self._here))
        except ProviderError as error:
            message = ending_message(provider_verdict(error), str(error))
        except HookError as error:
            message = hook_message(error)
        self._writer.show(Text(visible(message), style=self._here.theme.error))
        return FAILED

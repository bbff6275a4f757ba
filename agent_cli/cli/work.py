"""Runs a session: once, or with a person at the terminal."""

import asyncio
import gc
import select
import signal
import sys
from collections.abc import Coroutine
from typing import TYPE_CHECKING, Any

from msgspec import Struct
from msgspec.structs import replace

from agent_cli.engine.outcomes import EXIT_STATUS
from agent_cli.frontends.stopping import stopping
from agent_cli.i18n.catalog import say
from agent_cli.runtime.agent import Agent
from agent_cli.runtime.assemble import assemble
from agent_cli.runtime.toolbox import Options
from agent_cli.settings.places import state_directory
from agent_cli.settings.schema import Settings

if TYPE_CHECKING:
    from agent_cli.frontends.headless.registry import Output


_SILENCE = 2.0
"""Seconds without anything on standard input after which we say what we wait for."""


class Run(Struct, frozen=True):
    settings: Settings
    options: Options
    prompt: str
    typed: str | None = None
    """The part of it that the user wrote, if not all."""


def run_once(run: Run, frontend: "Output") -> int:
    """Do one task without a person to talk to; return the exit status."""
    from agent_cli.frontends.headless.one_shot import one_shot  # noqa: PLC0415 - this way only

    agent = assemble(run.settings, run.options, frontend)

    async def work() -> int:
        try:
            return await one_shot(
                lambda: agent.submit(run.prompt, typed=run.typed),
                lambda: agent.session.state,
                frontend,
            )
        finally:
            await agent.close()

    _collect_again()
    return asyncio.run(work())


def run_repl(run: Run, *, once: bool = False) -> int:
    """Work with a person until they leave; `once` ends after the first task.

    Return the exit status.
    """
    from rich.console import Console  # noqa: PLC0415 - 40 ms, for terminals only

    from agent_cli.frontends.terminal.input import line_reader  # noqa: PLC0415 - 100 ms
    from agent_cli.frontends.terminal.render import TerminalFrontend  # noqa: PLC0415 - as above
    from agent_cli.frontends.terminal.repl import Repl  # noqa: PLC0415 - as above
    from agent_cli.frontends.terminal.writer import Writer  # noqa: PLC0415 - as above

    history = None if run.options.ephemeral else state_directory(run.options.environ) / "history"
    writer = Writer(Console(highlight=False))
    frontend = TerminalFrontend(writer, line_reader(None, during_turn=True))
    agent = assemble(run.settings, run.options, frontend)
    writer.show(_greeting(run))

    async def work(agent: Agent, prompt: str) -> int:
        repl = Repl(agent, writer, line_reader(history, rewinds=True))
        try:
            status = await _until_stopped(repl.run(prompt, once=once))
        finally:
            await agent.close()
        if not repl.forks:
            return status
        fork = assemble(run.settings, _in_fork(run.options, agent), frontend)
        writer.show(say("from here on this is a new session; the other stays as it is"))
        return await work(fork, "")

    _collect_again()
    return asyncio.run(work(agent, run.prompt))


def _in_fork(options: Options, agent: Agent) -> Options:
    """Return the options for a fork of the session: it is as that was left."""
    return replace(
        options,
        resume=agent.session.path,
        fork=True,
        mode="",
        protocol=None,
        parallel_tool_calls=None,
        record=None,  # a cassette is of one session
    )


async def _until_stopped(work: Coroutine[Any, Any, None]) -> int:
    """Do the work; return the exit status. A signal is a way to leave: the terminal is restored."""
    task = asyncio.ensure_future(work)
    with stopping(task, [signal.SIGTERM, signal.SIGHUP]) as received:
        try:
            await task
        except asyncio.CancelledError:
            if not received:
                raise
    return EXIT_STATUS[received[0]] if received else 0


def _collect_again() -> None:
    """Turn the garbage collector on, for what comes from now on; the start stays as it is."""
    gc.freeze()
    gc.enable()


def _greeting(run: Run) -> str:
    return say(
        "agent, model {model}, approval {approval}; Ctrl+J new line, Ctrl-C cancels, /help",
        model=run.options.model,
        approval="yolo" if run.options.yolo else say("asks"),
    )


def with_standard_input(prompt: str) -> str:
    """Return the prompt, followed by what standard input holds, if it is no terminal."""
    if sys.stdin.isatty():
        return prompt
    if not select.select([sys.stdin.buffer], [], [], _SILENCE)[0]:
        sys.stderr.write(say("reading standard input until it ends; < /dev/null gives none") + "\n")
        sys.stderr.flush()
    piped = sys.stdin.buffer.read().decode("utf-8", "replace")
    return f"{prompt}\n\n{piped}" if prompt and piped.strip() else prompt or piped

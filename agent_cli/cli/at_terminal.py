"""Works with a person at the terminal: in one session, and in those that they go on to.

Importing it takes a while: only who is at a terminal does.
"""

import asyncio
import signal
import sys
from collections.abc import Coroutine
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from msgspec import Struct
from msgspec.structs import replace
from rich.console import Console
from rich.text import Text

from agent_cli.cli.doctor import report
from agent_cli.cli.work import Run, collect_again
from agent_cli.engine.outcomes import EXIT_STATUS
from agent_cli.frontends.sanitiser import visible
from agent_cli.frontends.stopping import stopping
from agent_cli.frontends.terminal.below import Below, NothingBelow
from agent_cli.frontends.terminal.changes import compared
from agent_cli.frontends.terminal.choice_keys import choice_reader
from agent_cli.frontends.terminal.commands.base import Elsewhere, Here, Outside
from agent_cli.frontends.terminal.input import ReadLine, line_reader
from agent_cli.frontends.terminal.live import Live
from agent_cli.frontends.terminal.modes import own_mode
from agent_cli.frontends.terminal.progress_line import Doing
from agent_cli.frontends.terminal.render import TerminalFrontend
from agent_cli.frontends.terminal.repl import Repl
from agent_cli.frontends.terminal.session_line import session_line
from agent_cli.frontends.terminal.theme import choose_theme
from agent_cli.frontends.terminal.writer import Writer
from agent_cli.i18n.catalog import say
from agent_cli.runtime.agent import Agent
from agent_cli.runtime.assemble import assemble
from agent_cli.runtime.toolbox import Options
from agent_cli.sessions.catalog import last_model
from agent_cli.settings.places import state_directory
from agent_cli.types.errors import ConfigurationError, JournalError

T = TypeVar("T")


class _Terminal(Struct, frozen=True):
    """What all sessions have in common."""

    writer: Writer
    below: Below
    ask: ReadLine
    """Asks in the middle of work."""
    history: Path | None
    frontend: TerminalFrontend


class _Session(Struct, frozen=True):
    agent: Agent
    outside: Outside


def run_repl(run: Run, *, once: bool = False) -> int:
    """Work with a person until they leave; `once` ends after the first task.

    Return the exit status.
    """
    with own_mode(sys.stdin.fileno(), run.options.environ):
        return _run(run, once=once)


def _run(run: Run, *, once: bool) -> int:
    terminal = _terminal(run)
    writer, frontend = terminal.writer, terminal.frontend
    first = _begun(Outside(run.settings, run.options, lambda: report()[0]), frontend)
    writer.show(_greeting(run, first.agent))

    async def work() -> int:
        current, prompt = first, run.prompt
        try:
            while True:
                repl = _repl(current, terminal)
                status, to = await _until_stopped(repl.run(prompt, once=once))
                if to is None:
                    return status
                left, current, prompt = current, _next(current, to, writer, frontend), ""
                if left is not current:
                    await left.agent.close()
        finally:
            await current.agent.close()

    collect_again()
    return asyncio.run(work())


def _begun(outside: Outside, frontend: TerminalFrontend) -> _Session:
    agent = assemble(outside.settings, outside.options, frontend)
    frontend.view.compare_with(partial(compared, agent))
    return _Session(agent, outside)


def _terminal(run: Run) -> _Terminal:
    environ, wanted = run.options.environ, run.settings.terminal
    theme = choose_theme(environ, wanted.theme, plain=wanted.plain)
    writer = Writer(Console(highlight=False, color_system=None if theme.plain else "auto"))
    doing = Doing()
    below = NothingBelow() if theme.plain else Live(writer, environ.get("TERM", ""), doing.progress)
    ask = below.asking(line_reader(None, during_turn=True))
    history = None if run.options.ephemeral else state_directory(environ) / "history"
    frontend = TerminalFrontend(writer, ask, theme, doing, below.asking(choice_reader()))
    return _Terminal(writer, below, ask, history, frontend)


def _repl(session: _Session, terminal: _Terminal) -> Repl:
    view = terminal.frontend.view
    here = Here(session.agent, terminal.writer, terminal.ask, session.outside, view)
    return Repl(here, session_line(here, terminal.history), terminal.below)


def _next(current: _Session, to: Elsewhere, writer: Writer, frontend: TerminalFrontend) -> _Session:
    """Return the session that the user goes on to; the current one, if that cannot be had."""
    try:
        options = _going_to(to, current)
        following = _begun(replace(current.outside, options=options), frontend)
    except (ConfigurationError, JournalError) as error:
        writer.show(Text(visible(str(error)), style=frontend.view.theme.error))
        return current
    writer.show(Text(_arrival(to)))
    return following


def _going_to(to: Elsewhere, current: _Session) -> Options:
    """Return the options for another session: it is as it was left, or as the settings say.

    A new one asks the model that this one does. Raises JournalError.
    """
    return replace(
        current.outside.options,
        model=last_model(to.path) if to.path else current.agent.session.state.model,
        resume=to.path,
        fork=to.fork,
        mode="",
        protocol=None,
        parallel_tool_calls=None,
        approval=None,
        record=None,  # a cassette is of one session
    )


def _arrival(to: Elsewhere) -> str:
    if to.path is not None and not to.fork:
        return say("from here on this is the session {id}", id=to.path.stem)
    return say("from here on this is a new session; the other stays as it is")


async def _until_stopped(work: Coroutine[Any, Any, T]) -> tuple[int, T | None]:
    """Do the work; return the exit status, and what came of the work if it was not stopped.

    A signal is a way to leave: the terminal is restored.
    """
    task = asyncio.ensure_future(work)
    with stopping(task, [signal.SIGTERM, signal.SIGHUP]) as received:
        try:
            done = await task
        except asyncio.CancelledError:
            if not received:
                raise
            done = None
    return (EXIT_STATUS[received[0]], None) if received else (0, done)


def _greeting(run: Run, agent: Agent) -> str:
    return say(
        "agent, model {model}, approval {approval}; Ctrl+J new line, Ctrl-C cancels, /help",
        model=run.options.model,
        approval="yolo" if run.options.yolo else agent.session.state.approval,
    )

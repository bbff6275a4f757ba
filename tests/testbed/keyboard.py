"""Somebody who types into an input line, without a terminal."""

import asyncio
from collections.abc import Awaitable, Callable

from prompt_toolkit.application import create_app_session
from prompt_toolkit.input import create_pipe_input
from prompt_toolkit.output import DummyOutput

from agent_cli.frontends.terminal.input import InputLine, Manner

PASTE = "\x1b[200~{}\x1b[201~"


def typed(
    keys: str, manner: Manner | None = None, draft: str = "", *, line: InputLine | None = None
) -> str:
    """Return what was read after the keys."""

    async def read(made: InputLine) -> str:
        return await made("> ", draft)

    return at_a_line(keys, manner, read, line)


def at_a_line(
    keys: str,
    manner: Manner | None,
    work: Callable[[InputLine], Awaitable[str]],
    line: InputLine | None = None,
) -> str:
    async def run() -> str:
        with create_pipe_input() as source, create_app_session(input=source, output=DummyOutput()):
            made = line or InputLine(manner or Manner())
            made.session.app.input = source
            source.send_text(keys)
            return await work(made)

    return asyncio.run(asyncio.wait_for(run(), 20))

"""Runs a session for one task, without a person to talk to."""

import asyncio
import gc
import select
import sys
from typing import TYPE_CHECKING

from msgspec import Struct

from agent_cli.i18n.catalog import say
from agent_cli.runtime.assemble import assemble
from agent_cli.runtime.toolbox import Options
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

    collect_again()
    return asyncio.run(work())


def collect_again() -> None:
    """Turn the garbage collector on, for what comes from now on; the start stays as it is."""
    gc.freeze()
    gc.enable()


def with_standard_input(prompt: str) -> str:
    """Return the prompt, followed by what standard input holds, if it is no terminal."""
    if sys.stdin.isatty():
        return prompt
    if not select.select([sys.stdin.buffer], [], [], _SILENCE)[0]:
        sys.stderr.write(say("reading standard input until it ends; < /dev/null gives none") + "\n")
        sys.stderr.flush()
    piped = sys.stdin.buffer.read().decode("utf-8", "replace")
    return f"{prompt}\n\n{piped}" if prompt and piped.strip() else prompt or piped

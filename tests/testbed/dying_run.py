"""A session that dies at its Nth system call, and what a power cut leaves of what it wrote.

    python -m testbed.dying_run NUMBER MOMENT LOSS TEXT

works in the current directory until then. What was about to happen is written to the file `died`
in the home; a run that comes to its end writes how many calls there were to `calls`.
"""

import asyncio
import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from testbed.faults import CHANGING, Nth

from agent_cli.frontends.headless.nobody import NobodyThere
from agent_cli.runtime.agent import Agent
from agent_cli.runtime.assemble import assemble
from agent_cli.runtime.toolbox import Options
from agent_cli.sessions import journal
from agent_cli.settings.schema import Settings
from agent_cli.types.events import Appended, Event

MOMENTS = ("before", "during", "after")
LOSSES = ("none", "dropped", "torn", "reordered")
"""Of what was written and not made durable: nothing, everything, the end, a block in the middle."""
BLOCK = 512


class Watching(NobodyThere):
    """Remembers what was recorded last: the row of the matrix in which the process dies."""

    last = "session_create"

    def emit(self, event: Event) -> None:
        if isinstance(event, Appended):
            Watching.last = str(type(event.entry).__struct_config__.tag)


class Disk:
    """Knows what of a session file would survive a power cut."""

    def __init__(self, loss: str) -> None:
        self._loss = loss
        self._durable: dict[str, int] = {}
        for name in ("fsync", "fdatasync"):
            setattr(os, name, self._syncing(getattr(os, name)))

    def _syncing(self, real: Callable[[int], None]) -> Callable[[int], None]:
        def sync(descriptor: int) -> None:
            path = str(Path(f"/proc/self/fd/{descriptor}").readlink())
            if path.endswith(".jsonl"):  # a disk takes its time, and its time is not the test
                self._durable[path] = os.fstat(descriptor).st_size

        return sync

    def lose(self, home: Path) -> None:
        for path in home.glob("agent/data/sessions/*/*.jsonl"):
            sure = self._durable.get(str(path), 0)
            written = path.stat().st_size
            if self._loss == "dropped":
                os.truncate(path, sure)
            elif self._loss == "torn":
                os.truncate(path, sure + (written - sure) // BLOCK * BLOCK)
            elif self._loss == "reordered" and written > sure:
                with path.open("r+b") as file:
                    file.seek(sure)
                    file.write(bytes(min(BLOCK, written - sure)))


async def work(agent: Agent, texts: list[str]) -> None:
    try:
        for text in texts:
            await agent.submit(text)
    finally:
        await agent.close()


def main() -> None:
    number, moment, loss, *texts = sys.argv[1:]
    home = Path(os.environ["HOME"])
    disk = Disk(loss)
    # looked up when it is called, so that it can be what the process dies at
    journal._make_durable = lambda descriptor: os.fsync(descriptor)  # noqa: PLW0108

    def die(function: Callable[..., Any], arguments: Any, named: Any) -> Any:
        if moment == "after":
            function(*arguments, **named)
        elif moment == "during" and nth.hit == "write":
            function(arguments[0], bytes(arguments[1])[: len(arguments[1]) // 2])
        disk.lose(home)
        (home / "died").write_text(f"{Watching.last} {nth.hit}")
        os.kill(os.getpid(), signal.SIGKILL)

    options = Options(Path.cwd(), os.environ, "anthropic/test-model", yolo=True, demonstrates=True)
    nth = Nth(int(number), die, CHANGING)
    with nth():
        agent = assemble(Settings(), options, Watching())
        asyncio.run(work(agent, texts))
    (home / "calls").write_text(str(nth.counted))


if __name__ == "__main__":
    main()

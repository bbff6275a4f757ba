"""A proxy that dies by SIGKILL at its Nth step: a write to its store, a call, a request, a reply.

    python -m testbed.dying_proxy NUMBER before|after CONFIG

With the number 0 it lives, and tells at its end how many steps there were.
"""

import asyncio
import os
import signal
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from agent_cli.network.serving import Reply
from agent_cli.proxy.config import checked, read
from agent_cli.proxy.managed import ManagedTools
from agent_cli.proxy.serving import serve
from agent_cli.proxy.sqlite import SqliteStore
from agent_cli.proxy.upstream import Upstream

STEPS: tuple[tuple[type, str], ...] = (
    (SqliteStore, "add"),
    (SqliteStore, "put"),
    (SqliteStore, "remember"),
    (ManagedTools, "call"),
    (Upstream, "ask"),
    (Reply, "whole"),
)


class Steps:
    """Counts, and ends the process at one of them."""

    def __init__(self, number: int, moment: str) -> None:
        self._number = number
        self._moment = moment
        self.seen: list[str] = []

    def watched(self, name: str, real: Callable[..., Awaitable[Any]]) -> Callable[..., Any]:
        async def step(owner: Any, *arguments: Any, **named: Any) -> Any:
            if arguments[:1] == ("instance",):  # a sign of life, which comes at its own times
                return await real(owner, *arguments, **named)
            self.seen.append(name)
            here = len(self.seen) == self._number
            if here and self._moment == "before":
                os.kill(os.getpid(), signal.SIGKILL)
            result = await real(owner, *arguments, **named)
            if here:
                os.kill(os.getpid(), signal.SIGKILL)
            return result

        return step


def main() -> None:
    number, moment, path = sys.argv[1:]
    steps = Steps(int(number), moment)
    for owner, name in STEPS:
        setattr(owner, name, steps.watched(name, getattr(owner, name)))

    def tell(text: str) -> None:
        sys.stderr.write(f"{text}\n")
        sys.stderr.flush()

    asyncio.run(serve(checked(read(Path(path)), os.environ), os.environ, tell))
    Path(path).with_name("steps").write_text("\n".join(steps.seen))


if __name__ == "__main__":
    main()

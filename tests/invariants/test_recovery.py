"""I8: to open a session again, to be killed while doing so, and to open it once more is to open it.

A session with one of every entry is cut after each line, gone on with, cut again within what going
on has added, and gone on with again.
"""

import asyncio
import os
from pathlib import Path

import pytest
from testbed.journals import SESSION, lines_of

from agent_cli.engine.task import State
from agent_cli.frontends.headless.nobody import NobodyThere
from agent_cli.resources.demo import script
from agent_cli.runtime.assemble import assemble
from agent_cli.runtime.toolbox import Options
from agent_cli.settings.schema import Settings
from agent_cli.types.events import Event
from agent_cli.types.messages import Recorded

LINES = lines_of(SESSION)


class Watching(NobodyThere):
    def emit(self, event: Event) -> None:
        """Look away."""


def opened(path: Path, data: bytes) -> State:
    """Go on with a session file of these bytes, and leave it again."""
    path.write_bytes(data)
    options = Options(Path.cwd(), dict(os.environ), f"replay:{script()}", resume=path)
    agent = assemble(Settings(), options, Watching())
    asyncio.run(agent.close())
    return agent.session.state


def conversations(state: State) -> list[tuple[Recorded, ...]]:
    return [task.messages for task in state.tasks]


@pytest.mark.invariant("I8", "I1")
@pytest.mark.parametrize("count", range(1, len(LINES) + 1))
def test_to_recover_twice_is_to_recover_once(count: int, tmp_path: Path):
    path = tmp_path / "one.jsonl"
    before = b"".join(LINES[:count])
    once = opened(path, before)
    recovered = path.read_bytes()
    assert recovered.startswith(before)
    assert opened(path, recovered) == once
    assert path.read_bytes() == recovered
    added = recovered[len(before) :].splitlines(keepends=True)
    for lost in range(1, len(added) + 1):
        for torn in (0, 9):
            kept = recovered[: len(recovered) - len(b"".join(added[-lost:]))]
            again = opened(path, kept + added[-lost][:torn])
            assert conversations(again) == conversations(once)

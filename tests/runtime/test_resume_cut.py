"""A session that was cut off anywhere can be gone on with: it is the user's turn, nothing is open.

What the first lines say is in the file; a session cut right behind them has no task yet.
"""

import asyncio
import os
from pathlib import Path

import pytest
from testbed.journals import SESSION, lines_of
from testbed.loaded import entries, read

from agent_cli.engine.state import apply, fold
from agent_cli.engine.steps import AwaitUser, Rules, next_step
from agent_cli.frontends.headless.nobody import NobodyThere
from agent_cli.resources.demo import script
from agent_cli.runtime.assemble import assemble
from agent_cli.runtime.standing import standing
from agent_cli.runtime.toolbox import Options
from agent_cli.sessions.verify import verify
from agent_cli.settings.schema import Settings
from agent_cli.types.entries import Interrupted, UserSaid
from agent_cli.types.events import Event, Notice
from agent_cli.types.outcomes import Stop

LINES = lines_of(SESSION)


class Listener(NobodyThere):
    def __init__(self) -> None:
        self.notices: list[str] = []

    def emit(self, event: Event) -> None:
        if isinstance(event, Notice):
            self.notices.append(event.message)


def resumed(path: Path) -> list[str]:
    """Resume and let go again; return what the user was told."""
    listener = Listener()
    options = Options(Path.cwd(), dict(os.environ), f"replay:{script()}", resume=path)
    agent = assemble(Settings(), options, listener)
    state = agent.session.state
    asyncio.run(agent.close())
    assert isinstance(next_step(state, Rules(interactive=True)), AwaitUser)
    assert apply(state, UserSaid("go on")).task.open_calls == ()
    return listener.notices


@pytest.mark.parametrize("count", range(1, len(LINES) + 1))
def test_a_session_killed_after_any_entry_is_settled(tmp_path: Path, count: int):
    path = tmp_path / "one.jsonl"
    path.write_bytes(b"".join(LINES[:count]))
    notices = resumed(path)
    told = entries(read(path))
    assert told[:count] == SESSION[:count]
    assert verify(told).adds_up
    killed = [entry for entry in told if isinstance(entry, Interrupted)][-1:]
    settled = [entry.reason for entry in killed] == [Stop.KILLED]
    expected = ["the session had been cut off; its open calls were settled"] if settled else []
    state = fold(told)
    assert notices == expected + [standing(state)] * (len(state.tasks) > 1)


def test_a_session_cut_within_a_line_says_what_was_lost(tmp_path: Path):
    path = tmp_path / "one.jsonl"
    path.write_bytes(b"".join(LINES[:6])[:-9])
    lost = f"the last line is incomplete; lost: 1 line, {len(LINES[5]) - 9} bytes"
    assert resumed(path)[0] == f"the session file was damaged and cut back: {lost}"
    assert verify(entries(read(path))).adds_up

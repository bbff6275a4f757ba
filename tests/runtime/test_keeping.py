"""Which calls are watched, and what a session that is kept nowhere can take back."""

import asyncio
import os
from pathlib import Path
from threading import Event as Signal

import pytest
from testbed.replies import Call, Say
from testbed.server import ModelServer

from agent_cli.frontends.headless.nobody import NobodyThere
from agent_cli.runtime import keeping
from agent_cli.runtime.assemble import assemble
from agent_cli.runtime.keeping import may_change_anything
from agent_cli.runtime.toolbox import Options
from agent_cli.runtime.undoing import redo, since_start, undo
from agent_cli.settings.schema import Settings
from agent_cli.types.effects import Effect, Kind
from agent_cli.types.events import Event, Notice
from agent_cli.undo.baseline import Baseline
from agent_cli.workspace import scan

DONE = Call("attempt_completion", {"result": "All done."})
WRITE = Call("write_to_file", {"path": "new.txt", "content": "hello\n"})
COMMAND = Call("execute_command", {"command": "rm old.txt"})


class Listener(NobodyThere):
    def __init__(self) -> None:
        self.notices: list[str] = []
        self.told = Signal()

    def emit(self, event: Event) -> None:
        if isinstance(event, Notice):
            self.notices.append(event.message)
            self.told.set()


@pytest.mark.parametrize(
    ("command", "watched"),
    [
        ("ls -la", False),
        ("cat a | head -3", False),
        ("grep -rn x . && wc -l a", False),
        ("ls > a", True),
        ("find . -delete", True),
        ("find . -name x", False),
        ("rm a", True),
        ("pytest", True),
        ("git status", True),
        ("cat $(rm a)", True),
        ("echo 'unfinished", True),
    ],
)
def test_a_command_that_only_reads_is_not_watched(command: str, watched: bool):  # noqa: FBT001 - a table
    assert may_change_anything((Effect(Kind.EXECUTE, command),)) is watched


def test_a_servers_tool_is_watched_and_a_read_is_not():
    assert may_change_anything((Effect(Kind.MCP, "server"),))
    assert not may_change_anything((Effect(Kind.READ, "a"), Effect(Kind.WRITE, "b")))


def names() -> list[str]:
    return sorted(path.name for path in Path.cwd().iterdir())


def worked(
    script: list[Say],
    monkeypatch: pytest.MonkeyPatch,
    *,
    ephemeral: bool,
    listener: Listener | None = None,
) -> list[str]:
    """Work, undo and redo in the current directory; return what the user was told."""
    listener = listener or Listener()
    with ModelServer(script) as server:
        monkeypatch.setenv("ANTHROPIC_API_KEY", "none")
        monkeypatch.setenv("ANTHROPIC_BASE_URL", server.url("anthropic_messages"))
        options = Options(
            Path.cwd(), dict(os.environ), "anthropic/test-model", yolo=True, ephemeral=ephemeral
        )
        agent = assemble(Settings(), options, listener)

        async def work() -> None:
            await agent.submit("go")
            after = names()
            store = agent.keeping.store
            assert store is not None
            assert since_start(agent.session.recall(tuple))
            assert undo(agent.session, agent.keeping.restoring(store))
            assert undo(agent.session, agent.keeping.restoring(store)) is None
            assert "new.txt" not in names()
            assert redo(agent.session, agent.keeping.restoring(store))
            assert redo(agent.session, agent.keeping.restoring(store)) is None
            assert names() == after
            await agent.close()

        asyncio.run(work())
    return listener.notices


def test_a_session_that_is_kept_nowhere_takes_back_what_its_tools_wrote(
    isolated: Path, monkeypatch: pytest.MonkeyPatch
):
    assert worked([Say(calls=[WRITE]), Say(calls=[DONE])], monkeypatch, ephemeral=True) == []
    assert not (isolated / "agent/data").exists()


def test_a_command_is_taken_back_as_well(monkeypatch: pytest.MonkeyPatch):
    Path("old.txt").write_text("old")
    assert (
        worked([Say(calls=[WRITE, COMMAND]), Say(calls=[DONE])], monkeypatch, ephemeral=False) == []
    )


def test_where_there_are_too_many_files_it_is_said_and_tools_are_still_taken_back(
    monkeypatch: pytest.MonkeyPatch,
):
    monkeypatch.setattr(scan, "MOST_NAMES", 0)
    Path("old.txt").write_text("old")
    script = [Say(calls=[WRITE, COMMAND]), Say(calls=[DONE])]
    (notice,) = worked(script, monkeypatch, ephemeral=False)
    assert notice.startswith("what commands change cannot be undone: more than 0 files")


def test_a_command_does_not_wait_for_long_until_a_large_workspace_was_read(
    monkeypatch: pytest.MonkeyPatch,
):
    listener = Listener()
    monkeypatch.setattr(keeping, "_PATIENCE", 0.01)
    monkeypatch.setattr(Baseline, "prepare", lambda self: listener.told.wait(30))
    Path("old.txt").write_text("old")
    script = [Say(calls=[WRITE, COMMAND]), Say(calls=[DONE])]
    notices = worked(script, monkeypatch, ephemeral=False, listener=listener)
    assert notices == [
        "the workspace is still being read, so what this command changes cannot be undone"
    ]
    assert not Path("old.txt").exists()


def test_what_was_not_kept_is_said(monkeypatch: pytest.MonkeyPatch):
    Path(".env").write_text("KEY=1")
    touch = Call("execute_command", {"command": "echo >> .env"})
    script = [Say(calls=[WRITE, touch]), Say(calls=[DONE])]
    notices = worked(script, monkeypatch, ephemeral=False)
    assert notices == ["cannot be undone, for it was not kept: .env"]

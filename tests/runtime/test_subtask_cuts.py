"""T-02, T-04: a session that is killed anywhere around a subtask gives its parent one result.

The journal of a whole session is cut after each line and gone on with, as after a kill -9 there.
"""

import asyncio
import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from testbed.loaded import entries, read
from testbed.replies import Call, Reply, Say
from testbed.run_agent import environment
from testbed.server import ModelServer

from agent_cli.frontends.headless.silent import Silent
from agent_cli.runtime.assemble import assemble
from agent_cli.runtime.toolbox import Options
from agent_cli.sessions.verify import verify
from agent_cli.settings.schema import Settings
from agent_cli.types.entries import CallFinished, Entry, TaskFinished, TaskStarted
from agent_cli.types.outcomes import Code

READ = Call("read_file", {"files": [{"path": "README.md"}]})
HAND = Call("new_task", {"mode": "ask", "message": "What does it do?"})
DONE = Call("attempt_completion", {"result": "All done."})
SCRIPT: list[Reply] = [
    Say(calls=[READ, HAND, READ]),
    Say(calls=[READ]),
    Say(calls=[DONE]),
    Say(calls=[DONE]),
]
SUBTASK_ENDS = {Code.SUBTASK_COMPLETED, Code.SUBTASK_FAILED, Code.SUBTASK_CANCELLED}


def work(script: list[Reply], text: str, home: Path, resume: Path | None = None) -> None:
    with ModelServer(script) as server:
        environ = environment(home, server)
        options = Options(Path.cwd(), environ, "anthropic/test-model", resume=resume, yolo=True)
        agent = assemble(Settings(), options, Silent())

        async def whole() -> None:
            try:
                await agent.submit(text)
            finally:
                await agent.close()

        asyncio.run(whole())
    assert server.violations == []


@pytest.fixture(scope="module")
def journal(tmp_path_factory: pytest.TempPathFactory) -> list[bytes]:
    """The lines of a session with one subtask, undisturbed."""
    home = tmp_path_factory.mktemp("home")
    project = tmp_path_factory.mktemp("project")
    (project / "README.md").write_text("# A project\n")
    before = Path.cwd()
    os.chdir(project)
    try:
        work(SCRIPT, "Do it.", home)
    finally:
        os.chdir(before)
    (path,) = home.glob("agent/data/sessions/*/*.jsonl")
    return path.read_bytes().splitlines(keepends=True)


def starts(told: list[Entry]) -> Iterator[str]:
    for entry in told:
        if isinstance(entry, TaskStarted) and entry.parent_call_id:
            yield entry.parent_call_id


@pytest.mark.invariant("I1", "I13")
@pytest.mark.trap("T-02", "T-04")
@pytest.mark.parametrize("part", range(8))
def test_the_parent_is_answered_exactly_once(
    part: int, journal: list[bytes], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    """Every eighth line, beginning with a different one."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "README.md").write_text("# A project\n")
    for count in range(3 + part, len(journal) + 1, 8):
        path = tmp_path / f"{count}.jsonl"
        path.write_bytes(b"".join(journal[:count]))
        work([Say(calls=[DONE])] * 3, "Go on.", tmp_path / "home", path)
        told = entries(read(path))
        report = verify(told)
        assert report.adds_up, (count, report)
        assert report.waiting == ()
        assert isinstance(told[-1], TaskFinished)
        for call_id in starts(told):
            ends = [
                entry.result.code
                for entry in told
                if isinstance(entry, CallFinished) and entry.result.call_id == call_id
            ]
            assert len(ends) == 1
            assert ends[0] in SUBTASK_ENDS

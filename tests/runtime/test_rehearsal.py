"""A session that is played again comes out the same, or it is said where it did not."""

import asyncio
import shutil
from collections.abc import Sequence
from pathlib import Path

import pytest
from msgspec.structs import replace
from testbed.loaded import entries, read
from testbed.replies import Call, Reply, Say
from testbed.run_agent import environment
from testbed.server import ModelServer

from agent_cli.frontends.headless.silent import Silent
from agent_cli.runtime.assemble import assemble
from agent_cli.runtime.recording import recording
from agent_cli.runtime.replaying import Played, Stage, play
from agent_cli.runtime.toolbox import Options
from agent_cli.sessions.divergence import Divergence
from agent_cli.settings.schema import ApprovalSettings, Settings
from agent_cli.types.approval import ApprovalMode, Request, Verdict
from agent_cli.types.entries import AssistantSaid, CallFinished, Entry, Nudged
from agent_cli.types.events import Event
from agent_cli.types.outcomes import Nudge, Outcome

READ = Call("read_file", {"files": [{"path": "README.md"}]})
MISSING = Call("read_file", {"files": [{"path": "absent"}]})
WRITE = Call("write_to_file", {"path": "a.txt", "content": "a\n"})
SHOW = Call("execute_command", {"command": "cat a.txt; pwd"})
FORBIDDEN = Call("execute_command", {"command": "rm a.txt"})
ASK = Call("ask_followup_question", {"question": "Tabs?"})
TODOS = Call("update_todo_list", {"todos": "[x] one\n[ ] two"})
HAND = Call("new_task", {"mode": "ask", "message": "What does it do?"})
SWITCH = Call("switch_mode", {"mode_slug": "ask"})
DONE = Call("attempt_completion", {"result": "All done."})
SCRIPT: list[Reply] = [
    Say("Let me look.", calls=[READ, WRITE, SHOW, MISSING, DONE]),
    Say(calls=[TODOS, HAND, READ]),
    Say(calls=[READ, Call("attempt_completion", {"result": "It adds."})]),
    Say(calls=[ASK, FORBIDDEN, READ]),
    Say("No call at all."),
    Say(calls=[SWITCH]),
    Say(calls=[DONE]),
    Say(calls=[DONE]),
]


class User:
    """Answers questions, forbids to remove files, and has something to say of the first result."""

    def __init__(self) -> None:
        self._said = ["and now?", ""]

    def emit(self, event: Event) -> None:
        """Look away."""

    async def approve(self, requests: Sequence[Request]) -> Sequence[Verdict]:
        return [Verdict(approved="rm" not in str(request.preview)) for request in requests]

    async def ask(self, question: str, suggestions: tuple[str, ...] = ()) -> str | None:
        return "blanks"

    async def feedback(self) -> str | None:
        return self._said.pop() if self._said else ""


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "README.md").write_text("# It adds numbers\n")
    monkeypatch.chdir(folder)
    return folder


def recorded(project: Path, home: Path) -> list[Entry]:
    with ModelServer(SCRIPT) as server:
        options = Options(project, environment(home, server), "anthropic/test-model")
        agent = assemble(Settings(), options, User())

        async def whole() -> None:
            try:
                await agent.submit("Do it.")
            finally:
                await agent.close()

        asyncio.run(whole())
    assert server.violations == []
    (path,) = home.glob("agent/data/sessions/*/*.jsonl")
    return list(entries(read(path)))


def played(
    told: list[Entry], folder: Path, home: Path, *, real: bool, settings: Settings | None = None
) -> Played:
    folder.mkdir(exist_ok=True)
    stage = Stage(folder, environment(home, None), real=real)
    return asyncio.run(play(recording(told), stage, settings or Settings(), Silent()))


@pytest.fixture
def told(project: Path, tmp_path: Path) -> list[Entry]:
    return recorded(project, tmp_path / "home")


@pytest.mark.parametrize("mode", [ApprovalMode.ASK, ApprovalMode.PLAN])
def test_the_same_files_give_the_same_results(
    told: list[Entry], project: Path, tmp_path: Path, mode: ApprovalMode
):
    copy = tmp_path / "copy"
    copy.mkdir()
    shutil.copy(project / "README.md", copy)
    settings = Settings(approval=ApprovalSettings(mode=mode))
    again = played(told, copy, tmp_path / "home", real=True, settings=settings)
    assert again == Played(turns=len(SCRIPT), calls=len(again_calls(told)), divergence=None)
    assert (copy / "a.txt").read_text() == "a\n"


def again_calls(told: list[Entry]) -> list[str]:
    return [entry.result.call_id for entry in told if isinstance(entry, CallFinished)]


def test_recorded_results_need_no_files(told: list[Entry], tmp_path: Path):
    again = played(told, tmp_path / "empty", tmp_path / "home", real=False)
    assert again.divergence is None
    assert again.turns == len(SCRIPT)
    assert list((tmp_path / "empty").iterdir()) == []


def test_a_refused_order_is_played_at_its_place(told: list[Entry], tmp_path: Path):
    nudged = Nudged(Nudge.CALL_ORDER, "split them")
    place = next(at for at, entry in enumerate(told) if isinstance(entry, AssistantSaid))
    with_it = [*told[:place], nudged, *told[place:]]
    again = played(with_it, tmp_path / "empty", tmp_path / "home", real=False)
    assert again == Played(turns=len(SCRIPT), calls=len(again_calls(told)), divergence=None)


def test_the_first_other_result_is_named(told: list[Entry], project: Path, tmp_path: Path):
    copy = tmp_path / "copy"
    copy.mkdir()
    (copy / "README.md").write_text("# It multiplies numbers\n")
    again = played(told, copy, tmp_path / "home", real=True)
    assert isinstance(again.divergence, Divergence)
    assert again.divergence.turn == 1
    assert again.divergence.what.startswith("read_file ")
    assert again.divergence.field == "content"
    assert "adds" in again.divergence.recorded
    assert "multiplies" in again.divergence.played


def test_a_rule_of_ours_that_changed_is_found_without_tools(told: list[Entry], tmp_path: Path):
    """As if the guard had let the completion pass when it was recorded."""
    forged = [
        replace(entry, result=replace(entry.result, outcome=Outcome.SKIPPED))
        if isinstance(entry, CallFinished) and entry.result.code == "failed_earlier"
        else entry
        for entry in told
    ]
    found = played(forged, tmp_path / "empty", tmp_path / "home", real=False).divergence
    assert found is not None
    assert (found.turn, found.field) == (1, "outcome")
    assert (found.recorded, found.played) == ("skipped", "failed")


@pytest.mark.parametrize("turns", range(len(SCRIPT) + 1))
def test_a_part_can_be_played(turns: int, told: list[Entry], tmp_path: Path):
    part = recording(told, until=turns)
    folder = tmp_path / "empty"
    folder.mkdir()
    stage = Stage(folder, environment(tmp_path / "home", None), real=False)
    again = asyncio.run(play(part, stage, Settings(), Silent()))
    assert again.turns == turns
    assert again.divergence is None


def test_another_model_goes_on(told: list[Entry], project: Path, tmp_path: Path):
    part = recording(told, until=1)
    with ModelServer([Say(calls=[DONE])]) as server:
        stage = Stage(
            project,
            environment(tmp_path / "home", server),
            real=False,
            model="openai-chat/test-model",
        )
        again = asyncio.run(play(part, stage, Settings(), Silent()))
    assert server.violations == []
    assert len(server.requests) == 1
    assert again.divergence is None


def test_every_cut_of_a_session_can_be_played(told: list[Entry], tmp_path: Path):
    """As a kill leaves it: calls without results, messages without calls."""
    for count in range(3, len(told), 5):
        again = played(told[:count], tmp_path / f"{count}", tmp_path / "home", real=False)
        assert again.divergence is None, count

"""`agent replay` and the pytest plugin: a recorded session, played again in a folder of its own."""

import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from agent_cli.context.customs import customs
from agent_cli.context.modes import GRANTED
from agent_cli.providers.base import Endpoint
from agent_cli.providers.known import ModelInfo
from agent_cli.providers.registry import ResolvedModel, connect, resolve
from agent_cli.runtime.assemble import Instead, assemble
from agent_cli.runtime.frontend import Frontend
from agent_cli.runtime.recording import Recording
from agent_cli.runtime.rehearsal import Rehearsal, Watcher
from agent_cli.runtime.toolbox import Options
from agent_cli.sessions.divergence import Divergence, first_divergence
from agent_cli.settings.schema import CompletionSettings, Settings, TurnSettings
from agent_cli.types.approval import ApprovalMode
from agent_cli.types.brought import Brought
from agent_cli.types.entries import (
    AssistantSaid,
    CallFinished,
    CheckRun,
    Entry,
    ModeSwitched,
    TaskStarted,
)
from agent_cli.types.errors import ProviderError
from agent_cli.types.outcomes import Code

_MADE_UP = re.compile(r"\b[0-9]{8}-[0-9]{6}-[0-9a-f]{8}\b")
"""Ids of sessions, in names of files that hold long output."""


class Stage(Struct, frozen=True):
    """Where and how a session is played again."""

    folder: Path
    """The copy of what it worked on."""
    environ: Mapping[str, str]
    real: bool = True
    """With real tools; otherwise their results are taken from the record."""
    model: str = ""
    """`provider/name` of the model that goes on when the recording is at its end."""
    kept: bool = False
    """The new session is kept."""
    keeps: Path | None = None
    """Where meanwhile is kept what its calls change, if it is not; in memory without."""
    brought: tuple[Brought, ...] = ()
    """The user's modes, skills and commands."""


class Played(Struct, frozen=True):
    turns: int
    calls: int
    divergence: Divergence | None
    error: ProviderError | None = None
    """Why a live model could not go on."""


async def play(
    recording: Recording, stage: Stage, settings: Settings, watching: Frontend
) -> Played:
    """Play the recording and compare; raises ConfigurationError and JournalError."""
    settings = _settings(recording, settings)
    protocol = recording.started.protocol
    live = None
    if stage.model:
        live = connect(resolve(stage.model, settings, stage.environ), settings, protocol)
    missing = _missing_modes(recording, stage.brought)
    rehearsal = Rehearsal(recording, real=stage.real, then=live, missing=missing)
    watcher = Watcher(recording, watching)
    options = Options(
        cwd=stage.folder,
        environ=stage.environ,
        model=stage.model or recording.started.model,
        yolo=True,
        interactive=recording.interactive,
        ephemeral=not stage.kept,
        keeps=None if stage.kept else stage.keeps,
        demonstrates=True,
        brought=(*stage.brought, *map(_in_its_place, missing)),
    )
    info = ModelInfo(vision=True, protocol=protocol)
    resolved = ResolvedModel("replay", recording.started.id, "", Endpoint(""), info)
    instead = Instead(resolved, rehearsal.model, rehearsal.dispatcher)
    agent = assemble(settings, options, watcher, instead)
    error = None
    try:
        await rehearsal.play(agent)
    except ProviderError as fault:
        error = fault
    played = _as_far_as_recorded(watcher.entries, recording)
    return Played(
        turns=rehearsal.model.played,
        calls=len(recording.finished),
        divergence=first_divergence(recording.entries, played, _same(recording, stage)),
        error=error,
    )


def _settings(recording: Recording, settings: Settings) -> Settings:
    """Return the settings with what the recording itself decides, and no limits and no hooks."""
    checks = dict.fromkeys(
        entry.check.command for entry in recording.entries if isinstance(entry, CheckRun)
    )
    return replace(
        settings,
        mode=recording.mode,
        protocol=recording.started.protocol,
        parallel_tool_calls=recording.started.parallel_tool_calls,
        approval=replace(settings.approval, mode=ApprovalMode.ASK),
        turn=TurnSettings(),
        completion=CompletionSettings(
            verify=tuple(checks), open_todos="block" if _todos_blocked(recording) else "allow"
        ),
        max_turns=None,
        max_tokens=None,
        max_cost=None,
        max_seconds=None,
        hooks={},
    )


def _missing_modes(recording: Recording, brought: tuple[Brought, ...]) -> tuple[str, ...]:
    """Return the modes of the recording that are not known here."""
    named = (
        entry.mode for entry in recording.entries if isinstance(entry, TaskStarted | ModeSwitched)
    )
    known = customs(brought).modes
    return tuple(mode for mode in dict.fromkeys(named) if not known.has(mode))


def _in_its_place(mode: str) -> Brought:
    """Return a mode with every tool: what it forbade is taken from the record."""
    kinds = ", ".join(GRANTED)
    text = f"---\nname: {mode}\nwhen: Recorded.\nkinds: {kinds}\n---\n{mode}"
    return Brought("modes", f"{mode}.md", "", text)


def _todos_blocked(recording: Recording) -> bool:
    """Whether open to-dos kept the task from being completed, as they did at least once."""
    ends = recording.finished.values()
    return any(entry.result.code is Code.OPEN_TODOS for entry in ends)


def _as_far_as_recorded(entries: list[Entry], recording: Recording) -> Iterator[Entry]:
    """Yield what the recorded messages have led to, but for calls that were never answered."""
    turns = 0
    for entry in entries:
        turns += isinstance(entry, AssistantSaid)
        if turns > len(recording.said):
            return
        unknown = isinstance(entry, CallFinished) and (
            entry.result.call_id not in recording.finished
        )
        if not unknown:
            yield entry


def _same(recording: Recording, stage: Stage) -> Callable[[str], str]:
    """Return what spells the two folders, and names that are made up, in one way."""
    folders = (str(stage.folder), recording.started.cwd)

    def same(text: str) -> str:
        for folder in folders:
            text = text.replace(folder, "$WORKSPACE")
        return _MADE_UP.sub("$ID", text)

    return same

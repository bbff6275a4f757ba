"""`agent replay`: a session, played again where it began; says where it comes out otherwise."""

import asyncio
import os
import shutil
import sys
import tempfile
from pathlib import Path
from typing import Annotated, TypeAlias

import msgspec
import typer
from msgspec import Struct

from agent_cli.cli.bringing import brought
from agent_cli.cli.options import Cwd, directory
from agent_cli.cli.resume import resume_path
from agent_cli.cli.trusting import standing_of
from agent_cli.engine.outcomes import EXIT_STATUS, Verdict
from agent_cli.frontends.headless.silent import Silent
from agent_cli.frontends.headless.text import TextOutput
from agent_cli.frontends.messages import provider_verdict
from agent_cli.frontends.sanitiser import visible
from agent_cli.frontends.undo_view import reason
from agent_cli.i18n.catalog import say
from agent_cli.runtime.recording import Recording, recording
from agent_cli.runtime.replaying import Played, Stage, play
from agent_cli.sessions.divergence import Divergence, around
from agent_cli.sessions.journal import read
from agent_cli.settings.credentials import bring_keys
from agent_cli.settings.load import load
from agent_cli.settings.places import data_directory
from agent_cli.types.errors import ConfigurationError, JournalError
from agent_cli.undo.history import history, undoing
from agent_cli.undo.preimages import session_folder
from agent_cli.undo.restore import Left, copy_at

_SHOWN = 600
"""Characters of a value that are shown."""
_SUFFIXES = (".session.jsonl", ".workspace")


class _Wanted(Struct, frozen=True):
    """What was said on the command line."""

    real: bool
    """With real tools."""
    until: int | None
    model: str
    into: Path | None
    save: Path | None
    json: bool


Session: TypeAlias = Annotated[
    str, typer.Argument(metavar="[ID|FILE]", help="The session; the last one here without it.")
]
Tools: TypeAlias = Annotated[
    str, typer.Option("--tools", help="real: run them again. recorded: take their results.")
]
Until: TypeAlias = Annotated[
    int | None, typer.Option("--until", min=0, help="Only the first so many model messages.")
]
From: TypeAlias = Annotated[
    int | None,
    typer.Option("--from", min=0, help="Play so many messages, then go on with --model."),
]
Model: TypeAlias = Annotated[
    str, typer.Option("--model", "-m", help="provider/name that goes on, with --from.")
]
Into: TypeAlias = Annotated[
    Path | None, typer.Option("--into", help="Work in this new directory, and keep it.")
]
Save: TypeAlias = Annotated[
    Path | None,
    typer.Option("--save", help="Keep NAME.session.jsonl and NAME.workspace as a test."),
]
Json: TypeAlias = Annotated[bool, typer.Option("--json", help="As one JSON object.")]


def command(
    session: Session = "",
    tools: Tools = "real",
    until: Until = None,
    from_: From = None,
    model: Model = "",
    into: Into = None,
    save: Save = None,
    json: Json = False,
    cwd: Cwd = None,
) -> None:
    """Play a session again in a copy of the workspace as it was; exit 3 where it diverges.

    The model's part is played from the record, so no key is needed. Real tools work in the copy,
    but commands can reach what lies outside of it: set a sandbox where that matters. What
    `agent undo` does not see, .git for one, is there as it is now.
    """
    if tools not in ("real", "recorded"):
        raise typer.BadParameter(say("use real or recorded"), param_hint="--tools")
    if (from_ is None) != (not model):
        raise typer.BadParameter(say("--from and --model belong together"), param_hint="--from")
    if from_ is not None and until is not None:
        raise typer.BadParameter(say("use --from or --until"), param_hint="--until")
    path = _path(session, directory(cwd))
    wanted = _Wanted(
        tools == "real",
        from_ if from_ is not None else until,
        model,
        into,
        save,
        json,
    )
    raise typer.Exit(_save(path, save) if save else _replay(path, wanted))


def _path(session: str, root: Path) -> Path:
    file = Path(session)
    if session and (os.sep in session or file.suffix) and file.is_file():
        return file
    path = resume_path(os.environ, root, latest=not session, session_id=session)
    assert path is not None  # a session was asked for
    return path


def _replay(path: Path, wanted: _Wanted) -> int:
    loaded = read(path, lambda entries: recording(entries, wanted.until))
    told = loaded.value
    if loaded.damage:
        text = say("the file is damaged; its valid part is played: {damage}", damage=loaded.damage)
        sys.stderr.write(visible(text) + "\n")
    place = wanted.into or Path(tempfile.mkdtemp(prefix="agent-replay-")) / "workspace"
    if place.exists():
        raise ConfigurationError(
            say("{place!r} is there already: name a new directory", place=str(place))
        )
    kept = bool(wanted.into or wanted.model)
    try:
        folder = _workspace(told, path, place) if wanted.real else _empty(place)
        played = _play(told, folder, wanted)
    finally:
        if not kept:
            shutil.rmtree(place.parent, ignore_errors=True)
    _tell(played, place if kept else None, as_json=wanted.json)
    if played.error:
        return EXIT_STATUS[provider_verdict(played.error)]
    return EXIT_STATUS[Verdict.UNRESOLVED if played.divergence else Verdict.COMPLETED]


def _play(told: Recording, folder: Path, wanted: _Wanted) -> Played:
    kept, root = bool(wanted.model), Path(told.started.cwd)
    if wanted.model:
        bring_keys(os.environ, root)
    watching = Silent() if wanted.json else TextOutput()
    with tempfile.TemporaryDirectory(prefix="agent-replay-kept-") as keeps:
        own = brought(root, os.environ, standing_of(root, os.environ))
        stage = Stage(folder, os.environ, wanted.real, wanted.model, kept, Path(keeps), own)
        return asyncio.run(play(told, stage, load(os.environ), watching))


def _empty(place: Path) -> Path:
    place.mkdir(parents=True)
    return place.resolve()


def _workspace(told: Recording, path: Path, place: Path) -> Path:
    """Make a copy of the workspace as it was at the session's start; return where it is."""
    beside = path.with_name(path.name.removesuffix(_SUFFIXES[0]) + _SUFFIXES[1])
    place.parent.mkdir(parents=True, exist_ok=True)
    if path.name.endswith(_SUFFIXES[0]) and beside.is_dir():
        shutil.copytree(beside, place, symlinks=True)
        return place.resolve()
    for left in _copy(told, path, place):
        text = say("{path} could not be brought back: {why}", path=left.path, why=reason(left))
        sys.stderr.write(visible(text) + "\n")
    return place.resolve()


def _copy(told: Recording, path: Path, place: Path) -> tuple[Left, ...]:
    root = Path(told.started.cwd)
    if not root.is_dir():
        raise JournalError(
            say(
                "the session worked in {cwd!r}, which is not there any more: use --tools recorded",
                cwd=told.started.cwd,
            )
        )
    changes = [change.file for change in read(path, history).value.since(0)]
    store = session_folder(data_directory(os.environ) / "undo", told.started.id)
    return copy_at(root, place, undoing(changes), store)


def _save(path: Path, save: Path) -> int:
    """Put the session and what it began with where the pytest plugin finds them."""
    files = [save.with_name(save.name + suffix) for suffix in _SUFFIXES]
    for file in files:
        if file.exists():
            raise ConfigurationError(
                say("{file!r} is there already: use another name", file=str(file))
            )
    told = read(path, recording).value
    save.parent.mkdir(parents=True, exist_ok=True)
    _workspace(told, path, files[1])
    shutil.copyfile(path, files[0])
    sys.stdout.write(f"{files[0]}\n{files[1]}\n")
    return 0


def _tell(played: Played, place: Path | None, *, as_json: bool) -> None:
    if as_json:
        error = str(played.error) if played.error else ""
        more = {"error": error, "workspace": str(place) if place else None}
        fields = msgspec.structs.asdict(played) | more
        sys.stdout.write(msgspec.json.encode(fields).decode() + "\n")
        return
    found = played.divergence
    if found is None:
        same = say(
            "the same: turns: {turns}, calls: {calls}", turns=played.turns, calls=played.calls
        )
        sys.stdout.write(same + "\n")
    else:
        sys.stdout.write(_divergence(found) + "\n")
    if played.error:
        sys.stderr.write(visible(str(played.error)) + "\n")
    if place:
        sys.stdout.write(visible(say("the copy is in {place}", place=str(place))) + "\n")


def _divergence(found: Divergence) -> str:
    head = say(
        "diverged in turn {turn}, {what}: {field} is not the same",
        turn=found.turn,
        what=visible(found.what),
        field=found.field,
    )
    return "\n".join(
        [
            head,
            f"{say('recorded:')} {visible(around(found.recorded, found.played, _SHOWN))}",
            f"{say('now:')} {visible(around(found.played, found.recorded, _SHOWN))}",
        ]
    )

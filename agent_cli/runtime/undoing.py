"""Undo and redo for a session that nobody works in at the moment."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from agent_cli.engine.steps import Rules
from agent_cli.i18n.catalog import say
from agent_cli.runtime.interruption import recover
from agent_cli.runtime.keeper import keeper
from agent_cli.runtime.keeping import Keeping
from agent_cli.runtime.session import Session, open_session
from agent_cli.settings.places import data_directory, state_directory
from agent_cli.types.entries import Entry, FilesRestored, SessionStarted
from agent_cli.types.errors import JournalError
from agent_cli.types.events import Event
from agent_cli.types.redaction import Redactor
from agent_cli.undo.history import Change, History, Wanted, history, redoing, undoing
from agent_cli.undo.preimages import session_folder
from agent_cli.undo.restore import Left, Plan, Restoring, Why
from agent_cli.workspace.gate import Workspace


class Undoing(Struct, frozen=True):
    """What an undo would do."""

    turn: int
    """The first turn that is undone."""
    calls: tuple[str, ...]
    plan: Plan


def planned(known: History, restoring: Restoring, turn: int | None = None) -> Undoing | None:
    """Look at what undoing would do; None if there is nothing to undo.

    Without a turn the last one that changed something, with one everything from it on.
    """
    changes: tuple[Change, ...]
    if turn is None:
        turn = known.last
        if turn is None:
            return None
        changes = tuple(one for one in known.since(turn) if one.turn == turn)
    else:
        changes = known.since(turn)
    missed = [path for at, paths in known.missed.items() if at >= turn for path in paths]
    if not changes and not missed:
        return None
    plan = restoring.plan(undoing([one.file for one in changes]))
    left = (*plan.left, *(Left(path, Why.NOT_KEPT) for path in dict.fromkeys(missed)))
    calls = tuple(dict.fromkeys(one.call_id for one in changes))
    return Undoing(turn, calls, replace(plan, left=left))


def undo(session: Session, restoring: Restoring, turn: int | None = None) -> Undoing | None:
    """Undo, and record it; return what was done. Raises JournalError."""
    found = planned(session.recall(history), restoring, turn)
    if found is None:
        return None
    done = restoring.carry_out(found.plan)
    session.append(FilesRestored(done.changes, "undo", found.calls, _paths(done.left)))
    session.sync()
    return replace(found, plan=done)


def redo(session: Session, restoring: Restoring) -> Plan | None:
    """Make again what was undone last, and record it; None if nothing was. Raises JournalError."""
    undone = session.recall(history).redoable()
    if undone is None:
        return None
    done = restoring.carry_out(restoring.plan(redoing(undone)))
    if done.changes:
        session.append(FilesRestored(done.changes, "redo", undone.calls, _paths(done.left)))
        session.sync()
    return done


def repeat(session: Session, restoring: Restoring, before: FilesRestored) -> None:
    """Undo or redo what was so in a session that is played again; record what comes of it now."""
    wanted = [Wanted(one.path, one.before, one.after) for one in before.changes]
    done = restoring.carry_out(restoring.plan(wanted))
    session.append(FilesRestored(done.changes, before.why, before.calls, _paths(done.left)))


def since_start(entries: Iterable[Entry]) -> tuple[Wanted, ...]:
    """Return what takes back everything that a session has changed and that still stands."""
    return undoing([one.file for one in history(entries).since(0)])


def beginning(session: Session) -> SessionStarted:
    started = session.state.session
    assert started is not None  # whatever has a file has a beginning
    return started


class Kept(Struct, frozen=True):
    """Where a session that is not open worked, and what was kept of it."""

    workspace: Workspace
    restoring: Restoring


def kept(started: SessionStarted, environ: Mapping[str, str], added: tuple[Path, ...] = ()) -> Kept:
    """Return what an undo of the session needs; raises JournalError."""
    root = Path(started.cwd)
    if not root.is_dir():
        raise JournalError(say("the folder of the session, {cwd!r}, is not there", cwd=started.cwd))
    workspace = Workspace(root, added, notes=state_directory(environ) / "writing")
    store = session_folder(data_directory(environ) / "undo", started.id)
    return Kept(workspace, Restoring(workspace.roots, str(workspace.notes), store))


def reopened(path: Path, environ: Mapping[str, str], emit: Callable[[Event], None]) -> Session:
    """Open a session to undo something of it, settled; raises JournalError."""
    session, _ = open_session(path, emit, Redactor())
    try:
        started = beginning(session)
        if session.state.tasks:
            workspace = kept(started, environ).workspace
            keeps = keeper(data_directory(environ) / "undo", started.id, workspace)
            recover(session, Rules(), Keeping(session, workspace, keeps, emit).recover)
    except BaseException:
        session.close()
        raise
    return session


def _paths(left: Sequence[Left]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(one.path for one in left))

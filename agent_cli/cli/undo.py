"""`agent undo`: take back what a session changed, also when it is not open."""

import os
import sys
from pathlib import Path
from typing import Annotated

import typer

from agent_cli.cli.options import AddDir, Cwd, directory
from agent_cli.cli.resume import resume_path
from agent_cli.engine.state import fold
from agent_cli.frontends.undo_view import undo_lines
from agent_cli.i18n.catalog import say
from agent_cli.runtime.undoing import Undoing, beginning, kept, planned, reopened, undo
from agent_cli.sessions.journal import read
from agent_cli.types.events import Event, Notice
from agent_cli.undo.history import history


def command(
    which: Annotated[
        str,
        typer.Argument(
            metavar="[SESSION[:TURN]]",
            help="The session, the last one here without it; and the turn from which on everything "
            "is undone, the last one that changed something without it. Turn 1 is the work on the "
            "first message.",
        ),
    ] = "",
    dry_run: Annotated[
        bool, typer.Option("--dry-run", "-n", help="Only show what would be restored.")
    ] = False,
    add_dir: AddDir = None,
    cwd: Cwd = None,
) -> None:
    """Put files back as they were; exit 1 if one had to be left alone.

    What something else has changed since is left alone and named. Not seen are changes in
    .git, and of what .gitignore covers, such as node_modules, unless a tool named the file.
    """
    session_id, _, number = which.partition(":")
    if number and not (number.isascii() and number.isdecimal() and int(number)):
        raise typer.BadParameter(say("{text} is not the number of a turn", text=number))
    turn = int(number) if number else None
    root = directory(cwd)
    path = resume_path(os.environ, root, latest=not session_id, session_id=session_id)
    assert path is not None  # a session was asked for
    added = tuple(directory(one, "--add-dir").resolve() for one in add_dir or ())
    done = _would(path, turn, added) if dry_run else _undo(path, turn, added)
    if done is None:
        sys.stdout.write(say("there is nothing to undo") + "\n")
        return
    heading = (
        say("would be undone, from turn {turn} on:", turn=done.turn)
        if dry_run
        else say("undone, from turn {turn} on:", turn=done.turn)
    )
    sys.stdout.write("\n".join([heading, *undo_lines(done.plan)]) + "\n")
    raise typer.Exit(1 if done.plan.left else 0)


def _would(path: Path, turn: int | None, added: tuple[Path, ...]) -> Undoing | None:
    state = read(path, fold).value
    assert state.session is not None  # whatever has a file has a beginning
    restoring = kept(state.session, os.environ, added).restoring
    return planned(read(path, history).value, restoring, turn)


def _undo(path: Path, turn: int | None, added: tuple[Path, ...]) -> Undoing | None:
    session = reopened(path, os.environ, _tell)
    try:
        restoring = kept(beginning(session), os.environ, added).restoring
        return undo(session, restoring, turn)
    finally:
        session.close()


def _tell(event: Event) -> None:
    if isinstance(event, Notice):
        sys.stderr.write(event.message + "\n")

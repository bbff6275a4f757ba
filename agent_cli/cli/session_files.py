"""What is done with one session file: named, forked, exported, imported, deleted."""

import os
import sys
from pathlib import Path
from typing import Annotated, TypeAlias

import msgspec
import typer

from agent_cli.cli.ascii_json import ascii_json
from agent_cli.cli.options import Cwd, directory
from agent_cli.cli.resume import resume_path
from agent_cli.engine.state import fold
from agent_cli.frontends.exports.formats import JSON, format_of, rendered
from agent_cli.frontends.given_text import given
from agent_cli.frontends.sanitiser import in_one_line, visible
from agent_cli.i18n.catalog import say, say_many
from agent_cli.runtime.redaction import secrets
from agent_cli.runtime.session import open_session
from agent_cli.runtime.session_care import delete_session, fork_session
from agent_cli.runtime.session_care import rename as named
from agent_cli.sessions.bring import Brought, read_brought
from agent_cli.sessions.catalog import find, new_id, session_path
from agent_cli.sessions.export import export_of
from agent_cli.sessions.whole import write_new, write_session
from agent_cli.settings.load import load
from agent_cli.settings.places import data_directory
from agent_cli.types.errors import ConfigurationError, InvalidTransitionError, JournalError
from agent_cli.types.redaction import Redactor

_YES = {"y", "yes", "j", "ja"}

SessionId: TypeAlias = Annotated[
    str, typer.Argument(metavar="ID", help="The session, or the beginning of its id.")
]


def rename(
    session_id: SessionId,
    title: Annotated[list[str], typer.Argument(metavar="NAME...", help="Its name from now on.")],
) -> None:
    """Give a session a name."""
    redactor = Redactor(secrets(load(os.environ), os.environ))
    session, _ = open_session(_find(session_id), lambda _: None, redactor)
    try:
        name = named(session, given(" ".join(title)))
    finally:
        session.close()
    if not name:
        raise typer.BadParameter(say("the name is empty"), param_hint="NAME")
    sys.stdout.write(say("named {name}", name=in_one_line(name)) + "\n")


def fork(
    session_id: SessionId,
    at: Annotated[
        int | None, typer.Option("--at", help="Only so many messages of yours, and what followed.")
    ] = None,
) -> None:
    """Make a new session with the same beginning; the old one stays as it is."""
    path = fork_session(_find(session_id), os.environ, at)
    sys.stdout.write(f"{path.stem}\n")
    sys.stderr.write(say("go on with it: agent --resume {id}", id=path.stem) + "\n")


def export(
    session_id: Annotated[
        str, typer.Argument(metavar="[ID]", help="The session; the last one here without it.")
    ] = "",
    file: Annotated[
        Path | None, typer.Argument(metavar="[FILE]", help="A new file; standard output without.")
    ] = None,
    format_: Annotated[
        str, typer.Option("--format", "-f", help="md, json or html; else as FILE ends.")
    ] = "",
    cwd: Cwd = None,
) -> None:
    """Write a session as Markdown, JSON or one page for the browser."""
    chosen = format_of(file, format_)
    path = resume_path(os.environ, directory(cwd), latest=not session_id, session_id=session_id)
    assert path is not None  # a session was asked for
    exported = export_of(path)
    if file is not None:
        write_new(file, rendered(exported, chosen))
    elif chosen == JSON:
        sys.stdout.write(ascii_json(msgspec.to_builtins(exported)) + "\n")
    else:
        sys.stdout.write(rendered(exported, chosen).decode())
    if damage := exported.session.damage:
        told = say("the session is damaged; what is valid was exported: {damage}", damage=damage)
        sys.stderr.write(visible(told) + "\n")


def import_(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A session file, or its JSON.")],
    with_rules: Annotated[
        bool, typer.Option("--with-rules", help="Keep the rules that were granted in it.")
    ] = False,
    new: Annotated[bool, typer.Option("--new-id", help="Give it an id of its own.")] = False,
    cwd: Cwd = None,
) -> None:
    """Take a session over into this directory's; it never replaces one."""
    found = read_brought(file)
    brought = found if with_rules else found.without_rules()
    if new:
        brought = brought.renamed(new_id())
    _check(brought, file)
    kept = data_directory(os.environ) / "sessions"
    session_id = brought.started.id
    if list(kept.glob(f"*/{session_id}.jsonl")):
        raise JournalError(
            say(
                "there is a session {session_id} already: import it with --new-id",
                session_id=session_id,
            )
        )
    root = directory(cwd).resolve()
    write_session(session_path(kept, root, session_id), brought.envelopes)
    sys.stdout.write(f"{session_id}\n")
    for remark in _remarks(found, brought):
        sys.stderr.write(visible(remark) + "\n")


def delete(
    session_ids: Annotated[list[str], typer.Argument(metavar="ID...", help="The sessions.")],
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
) -> None:
    """Delete sessions for good, with what was set aside of them when they were damaged."""
    paths = [_find(session_id) for session_id in session_ids]
    if not yes and not (sys.stdin.isatty() and sys.stderr.isatty()):
        raise ConfigurationError(say("nobody can be asked: --yes deletes without a question"))
    for path in paths:
        if yes or _agreed(path):
            delete_session(path, os.environ)
            sys.stdout.write(say("deleted {id}", id=path.stem) + "\n")


def _find(session_id: str) -> Path:
    return find(data_directory(os.environ) / "sessions", session_id)


def _agreed(path: Path) -> bool:
    sys.stderr.write(say("Delete {id} for good? [y]es, [N]o: ", id=path.stem))
    sys.stderr.flush()
    return sys.stdin.readline().strip().lower() in _YES


def _check(brought: Brought, file: Path) -> None:
    """Raise JournalError for a session that the engine would not go on with."""
    try:
        fold(envelope.entry for envelope in brought.envelopes)
    except InvalidTransitionError as error:
        raise JournalError(
            say("the session in {file} contradicts itself: {error}", file=file, error=error)
        ) from error


def _remarks(found: Brought, brought: Brought) -> list[str]:
    """Say what is not as it was in the file."""
    remarks: list[str] = []
    if found.damage:
        remarks += [say("the file is damaged; its valid part is here: {why}", why=found.damage)]
    if not found.intact:
        remarks += [say("the session was changed after it was exported; it was sealed anew")]
    if left := len(found.envelopes) - len(brought.envelopes):
        rules = say_many(
            "left out: {count} rule or approval mode that was set in it",
            "left out: {count} rules or approval modes that were set in it",
            count=left,
        )
        remarks += [rules]
    return remarks

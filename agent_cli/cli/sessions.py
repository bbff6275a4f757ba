"""`agent sessions`: those of this directory, or all: listed, searched and cared for."""

import os
import sys
from typing import Annotated, TypeAlias

import msgspec
import typer

from agent_cli.cli.options import Cwd, directory
from agent_cli.cli.session_files import delete, export, fork, import_, rename
from agent_cli.frontends.sanitiser import in_one_line, visible
from agent_cli.i18n.catalog import say
from agent_cli.sessions.catalog import SessionInfo, sessions
from agent_cli.sessions.search import search
from agent_cli.settings.places import data_directory

Everywhere: TypeAlias = Annotated[
    bool, typer.Option("--all", "-a", help="Of every directory, not only this one.")
]
Json: TypeAlias = Annotated[bool, typer.Option("--json", help="One JSON object a line.")]


def list_(everywhere: Everywhere = False, json: Json = False, cwd: Cwd = None) -> None:
    """List the sessions, latest first."""
    root = directory(cwd).resolve()
    kept = data_directory(os.environ) / "sessions"
    for info in sessions(kept, None if everywhere else root):
        if json:
            fields = msgspec.structs.asdict(info) | {"path": str(info.path)}
            sys.stdout.write(msgspec.json.encode(fields).decode() + "\n")
        else:
            sys.stdout.write(_line(info, everywhere=everywhere))


def search_(
    words: Annotated[list[str], typer.Argument(metavar="WORDS...", help="All in one text.")],
    everywhere: Everywhere = False,
    most: Annotated[int, typer.Option("--most", "-n", help="Texts shown of a session.")] = 3,
    json: Json = False,
    cwd: Cwd = None,
) -> None:
    """Search what was said and done, in any case. Exit status 1 if nothing is found."""
    root = directory(cwd).resolve()
    kept = data_directory(os.environ) / "sessions"
    found = False
    for info in sessions(kept, None if everywhere else root):
        shown = 0
        for hit in search(info.path, tuple(words)):
            found = True
            if json:
                fields = {"session": info.id} | msgspec.structs.asdict(hit)
                sys.stdout.write(msgspec.json.encode(fields).decode() + "\n")
                continue
            if not shown:
                sys.stdout.write(_line(info, everywhere=everywhere))
            if shown == most:
                sys.stdout.write(f"    {say('and more')}\n")
                break
            sys.stdout.write(f"    {hit.where:7} {in_one_line(hit.excerpt)}\n")
            shown += 1
    raise typer.Exit(0 if found else 1)


def _line(info: SessionInfo, *, everywhere: bool) -> str:
    where = f"  {visible(info.cwd)}" if everywhere else ""
    title = in_one_line(info.title)
    return f"{info.id}  {info.started[:16]}  {in_one_line(info.model)}{where}  {title}\n"


COMMANDS = {
    "list": list_,
    "search": search_,
    "rename": rename,
    "fork": fork,
    "export": export,
    "import": import_,
    "delete": delete,
}

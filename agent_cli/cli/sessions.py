"""`agent sessions`: the sessions of this directory, or all."""

import os
import sys
from typing import Annotated

import msgspec
import typer

from agent_cli.cli.options import Cwd, directory
from agent_cli.frontends.sanitiser import visible
from agent_cli.sessions.catalog import sessions
from agent_cli.settings.places import data_directory


def command(
    everywhere: Annotated[
        bool, typer.Option("--all", "-a", help="Of every directory, not only this one.")
    ] = False,
    json: Annotated[bool, typer.Option("--json", help="One JSON object a line.")] = False,
    cwd: Cwd = None,
) -> None:
    """List the sessions, latest first."""
    root = directory(cwd).resolve()
    kept = data_directory(os.environ) / "sessions"
    for info in sessions(kept, None if everywhere else root):
        if json:
            fields = msgspec.structs.asdict(info) | {"path": str(info.path)}
            sys.stdout.write(msgspec.json.encode(fields).decode() + "\n")
            continue
        where = f"  {visible(info.cwd)}" if everywhere else ""
        title = visible(info.title)
        sys.stdout.write(f"{info.id}  {info.started[:16]}  {info.model}{where}  {title}\n")

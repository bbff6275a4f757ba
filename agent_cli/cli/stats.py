"""`agent stats`: what the sessions kept here add up to; nothing is sent anywhere."""

import os
import sys
from datetime import timedelta
from typing import Annotated

import msgspec
import typer

from agent_cli.cli.options import Cwd, directory
from agent_cli.cli.stats_view import as_json, lines
from agent_cli.runtime.listening import vocabulary
from agent_cli.sessions.catalog import session_files, session_path
from agent_cli.settings.places import data_directory
from agent_cli.telemetry.statistics import statistics, today


def command(
    days: Annotated[
        int, typer.Option("--days", "-d", min=1, max=36_500, help="The last so many days.")
    ] = 30,
    everywhere: Annotated[
        bool, typer.Option("--all", "-a", help="Of every directory, not only this one.")
    ] = False,
    json: Annotated[bool, typer.Option("--json", help="As one JSON object.")] = False,
    cwd: Cwd = None,
) -> None:
    """Count sessions, tools, completions, tokens and cost, from the session files alone.

    A name that is not public (of your own tool or model) is counted as custom, mcp or other.
    """
    root = directory(cwd).resolve()
    kept = data_directory(os.environ) / "sessions"
    folder = kept if everywhere else session_path(kept, root, "x").parent
    until = today()
    found = statistics(session_files(folder), until - timedelta(days=days - 1), vocabulary())
    if json:
        sys.stdout.write(msgspec.json.encode(as_json(found, until)).decode() + "\n")
        return
    for line in lines(found, until, everywhere=everywhere):
        sys.stdout.write(line + "\n")

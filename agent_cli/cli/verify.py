"""`agent verify`: whether every call of a session has exactly one result."""

import os
import sys
from typing import Annotated

import msgspec
import typer

from agent_cli.cli.options import Cwd, directory
from agent_cli.cli.resume import resume_path
from agent_cli.i18n.catalog import say
from agent_cli.sessions.journal import read
from agent_cli.sessions.verify import verify


def command(
    session_id: Annotated[
        str, typer.Argument(metavar="[ID]", help="The session; the last one here without it.")
    ] = "",
    json: Annotated[bool, typer.Option("--json", help="As one JSON object.")] = False,
    cwd: Cwd = None,
) -> None:
    """Count calls, results, duplicates and orphans, and check the chain; exit 0 if all is well."""
    path = resume_path(os.environ, directory(cwd), latest=not session_id, session_id=session_id)
    assert path is not None  # a session was asked for
    loaded = read(path, verify)
    report = loaded.value
    sound = report.adds_up and not loaded.damage
    fields = msgspec.structs.asdict(report)
    fields |= {"session": path.stem, "chain": loaded.damage or "intact", "adds_up": sound}
    if json:
        sys.stdout.write(msgspec.json.encode(fields).decode() + "\n")
    else:
        for name in ("session", "calls", "results", "chain"):
            sys.stdout.write(f"{name:11} {fields[name]}\n")
        for outcome, count in report.outcomes:
            sys.stdout.write(f"  {outcome:11} {count}\n")
        for name in ("duplicates", "orphans", "unanswered", "misplaced", "rerun", "waiting"):
            ids: tuple[str, ...] = fields[name]
            sys.stdout.write(f"{name:11} {', '.join(ids) if ids else 0}\n")
        sys.stdout.write(say("the session adds up") if sound else say("it does NOT add up"))
        sys.stdout.write("\n")
    raise typer.Exit(0 if sound else 1)

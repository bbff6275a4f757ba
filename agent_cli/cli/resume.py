"""Which session to go on with."""

import sys
from collections.abc import Mapping
from pathlib import Path

from agent_cli.frontends.sanitiser import visible
from agent_cli.i18n.catalog import say
from agent_cli.runtime.session_care import sessions_directory
from agent_cli.sessions.catalog import SessionInfo, find, sessions
from agent_cli.types.errors import JournalError

PICK = "?"
"""Stands for `--resume` without an id."""

_OFFERED = 20


def resume_path(
    environ: Mapping[str, str], root: Path, *, latest: bool, session_id: str
) -> Path | None:
    """Return the session file, None for a new session.

    Raises JournalError, and ConfigurationError where a folder would bring its own sessions.
    """
    if not latest and not session_id:
        return None
    directory = sessions_directory(environ, root)
    if session_id and session_id != PICK:
        return find(directory, session_id)
    found = sessions(directory, root.resolve())
    if not found:
        raise JournalError(say("there is no session of this directory yet: start one with `agent`"))
    if latest or not sys.stdin.isatty():
        return found[0].path
    return _pick(found[:_OFFERED]).path


def _pick(found: list[SessionInfo]) -> SessionInfo:
    for number, info in enumerate(found, 1):
        sys.stderr.write(f"{number:3} {info.id}  {visible(info.title)}\n")
    sys.stderr.write(say("Number of the session: "))
    sys.stderr.flush()
    answer = sys.stdin.readline().strip()
    if not answer.isdecimal() or not 0 < int(answer) <= len(found):
        raise JournalError(
            say(
                "{answer!r} is none of them: give a number from 1 to {found}",
                answer=answer,
                found=len(found),
            )
        )
    return found[int(answer) - 1]

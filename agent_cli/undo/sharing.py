"""What is kept for a session, when the session is forked or deleted."""

import os
import shutil
from pathlib import Path

from agent_cli.undo.preimages import session_folder


def share(place: Path, session_id: str, fork_id: str) -> None:
    """Let a fork have all that is kept for the session; what cannot be shared is not kept.

    Contents never change once they are there, so both can have the same file.
    """
    source, target = session_folder(place, session_id).path, session_folder(place, fork_id).path
    try:
        found = list(source.iterdir())
        target.mkdir(mode=0o700, parents=True, exist_ok=True)
        for content in found:
            os.link(content, target / content.name)
    except OSError:  # nothing is kept, or the file system has no links: undo says so
        return


def forget(place: Path, session_id: str) -> None:
    """Give up what is kept for the session."""
    shutil.rmtree(session_folder(place, session_id).path, ignore_errors=True)

"""What a user does with a session beside talking: name it, fork it, delete it, take words back."""

from collections.abc import Mapping
from pathlib import Path

from agent_cli.i18n.catalog import say
from agent_cli.runtime.session import Session
from agent_cli.sessions.fork import fork
from agent_cli.sessions.journal import remove
from agent_cli.settings.places import data_directory, is_inside
from agent_cli.types.entries import Rewound, SessionRenamed
from agent_cli.types.errors import ConfigurationError, JournalError
from agent_cli.types.queued_input import InputUnqueued
from agent_cli.undo.sharing import forget, share

_LONGEST = 200
"""Characters of a name."""


def rename(session: Session, text: str) -> str:
    """Name the session; return the name as it is recorded, empty if the text has none."""
    title = " ".join(text.split())[:_LONGEST]
    if not title:
        return ""
    session.append(SessionRenamed(title))
    session.sync()
    return session.state.title


def fork_session(path: Path, environ: Mapping[str, str], at: int | None = None) -> Path:
    """Make a session with the same beginning, and what undo needs; return its file.

    Raises JournalError. See `sessions/fork.py`.
    """
    forked = fork(path, at)
    share(data_directory(environ) / "undo", path.stem, forked.stem)
    return forked


def sessions_directory(environ: Mapping[str, str], root: Path) -> Path:
    """Return where sessions are; raises ConfigurationError where a folder would bring its own."""
    directory = data_directory(environ) / "sessions"
    if is_inside(directory, root, environ):
        raise ConfigurationError(
            say(
                "the sessions in {directory!r} lie in the folder worked in, so its author could "
                "have written them: put AGENT_HOME or XDG_DATA_HOME elsewhere",
                directory=str(directory),
            )
        )
    return directory


def delete_session(path: Path, environ: Mapping[str, str]) -> None:
    """Delete a session and what was kept for it; raises JournalError if it is open elsewhere."""
    remove(path)
    forget(data_directory(environ) / "undo", path.stem)


def unsay(session: Session, number: int) -> str:
    """Take back the user's message of that number and all behind it; return what it said.

    Raises JournalError for one that cannot be taken back.
    """
    state = session.state
    first = state.messages_said - len(state.unsayable)
    if not first < number <= state.messages_said:
        raise JournalError(_cannot(session, number))
    said = state.unsayable[number - 1 - first]
    session.append(Rewound(number - 1))
    session.sync()
    return said


def _cannot(session: Session, number: int) -> str:
    state = session.state
    if not 0 < number <= state.messages_said:
        return say("there is no message {number} of yours", number=number)
    started = state.session
    return say(
        "message {number} lies before the last compaction; a fork reaches further: "
        "agent sessions fork {id} --at {kept}",
        number=number,
        id=started.id if started else "",
        kept=number - 1,
    )


def unqueue(session: Session) -> str:
    """Take back what was queued last and not delivered yet, and return it; empty if nothing is."""
    if not session.state.queued:
        return ""
    text = session.state.queued[-1]
    session.append(InputUnqueued(text))
    return text

"""What a user does with a session beside talking: name it, fork it, take words back."""

from agent_cli.engine.state import fold
from agent_cli.i18n.catalog import say
from agent_cli.runtime.session import Session
from agent_cli.sessions.fork import fork
from agent_cli.sessions.journal import reopen
from agent_cli.types.entries import Rewound, SessionRenamed
from agent_cli.types.errors import JournalError

_LONGEST = 200
"""Characters of a name."""


def rename(session: Session, text: str) -> str:
    """Name the session; return the name as it is recorded, empty if the text has none."""
    title = " ".join(text.split())[:_LONGEST]
    if title:
        session.append(SessionRenamed(title))
    return session.state.title if title else ""


def go_on_in_fork(session: Session) -> str:
    """Go on in a new session with the same beginning; return its id.

    The one that was open is left as it is. Raises JournalError, and then nothing has changed.
    """
    if session.path is None:
        raise JournalError(say("this session is kept nowhere, so it cannot be forked"))
    session.sync()
    journal, loaded = reopen(fork(session.path), fold)
    session.move(journal, loaded.value)
    assert loaded.value.session is not None  # a fork has a beginning
    return loaded.value.session.id


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

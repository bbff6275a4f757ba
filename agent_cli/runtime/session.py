"""A session that runs: its state, its log and whoever listens.

`append` is the only way to change anything: it applies (and may raise), writes, then tells.
It never awaits, so a cancellation cannot fall between deciding and recording.
"""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TypeVar

from agent_cli.engine.state import apply, fold
from agent_cli.engine.task import State
from agent_cli.i18n.catalog import say
from agent_cli.runtime.redaction import without_secrets
from agent_cli.sessions.journal import Log, reopen
from agent_cli.types.entries import Entry
from agent_cli.types.errors import InvalidTransitionError, JournalError
from agent_cli.types.events import Appended, Event
from agent_cli.types.redaction import Redactor

T = TypeVar("T")


class Session:
    """The one writer of a log."""

    def __init__(
        self,
        log: Log,
        emit: Callable[[Event], None],
        state: State | None = None,
        redactor: Redactor | None = None,
    ) -> None:
        self._log = log
        self._emit = emit
        self.redactor = redactor or Redactor()
        self.state = state or State()

    def append(self, entry: Entry) -> None:
        """Record what happened, without secrets.

        Raises InvalidTransitionError or JournalError, and then nothing is recorded.
        """
        entry = without_secrets(entry, self.redactor)
        state = apply(self.state, entry)
        envelope = self._log.append(entry)
        self.state = state
        self._emit(Appended(envelope.seq, envelope.at, entry))

    @property
    def path(self) -> Path | None:
        """The session file; None if there is none."""
        return self._log.path

    def sync(self) -> None:
        """Return when everything recorded so far would survive a power cut."""
        self._log.sync()

    def close(self) -> None:
        self._log.close()

    def recall(self, take: Callable[[Iterator[Entry]], T]) -> T:
        """Have everything taken that was recorded so far; raises JournalError."""
        return self._log.recall(take)


def open_session(
    path: Path, emit: Callable[[Event], None], redactor: Redactor
) -> tuple[Session, str]:
    """Reopen a session file; return it with what was found damaged, if anything was.

    Raises JournalError for a file that is locked, unreadable or contradicts itself.
    """
    try:
        journal, loaded = reopen(path, fold)
    except InvalidTransitionError as error:
        raise JournalError(
            say("the session {path} contradicts itself: {error}", path=path, error=error)
        ) from error
    return Session(journal, emit, loaded.value, redactor), loaded.damage

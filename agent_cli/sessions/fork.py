"""A fork: a new session with the same beginning; the one it comes from is left as it is."""

from collections.abc import Iterable
from itertools import chain
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from agent_cli.i18n.catalog import say
from agent_cli.sessions.catalog import new_id
from agent_cli.sessions.codec import FORMAT
from agent_cli.sessions.stream import envelopes
from agent_cli.sessions.whole import write_session
from agent_cli.types.entries import Envelope, Rewound, SessionStarted, UserSaid
from agent_cli.types.errors import JournalError
from agent_cli.types.queued_input import InputQueued, InputUnqueued


class _Queued(Struct, frozen=True):
    """Words that wait."""

    seq: int
    text: str


class _Said(Struct, frozen=True):
    """A message of the user that holds."""

    seq: int
    waiting: tuple[int, ...]
    """What had been queued before it and was not delivered yet, itself included."""


class Cut(Struct, frozen=True):
    """Which entries a fork has."""

    end: int | None = None
    """The first that it has not; None for all."""
    without: frozenset[int] = frozenset()
    """Words before it that were queued, and would be delivered after it."""

    def keeps(self, seq: int) -> bool:
        return (self.end is None or seq < self.end) and seq not in self.without


def fork(path: Path, at: int | None = None) -> Path:
    """Write the fork beside the session and return its file; raises JournalError.

    `at`: with so many messages of the user, as they are counted after what was unsaid, and what
    came of them. A session that is at work elsewhere is forked as far as it is written.
    """
    forked = path.with_name(f"{new_id()}.jsonl")
    try:
        cut = Cut() if at is None else cut_at(envelopes(path), at)
        source = envelopes(path)
        first = _beginning(next(source, None), path, forked.stem)
    except OSError as error:
        raise JournalError(
            say("cannot read the session {path}: {error}", path=path, error=error)
        ) from error
    rest = (envelope for envelope in source if cut.keeps(envelope.seq))
    write_session(forked, chain([first], rest))
    return forked


def cut_at(entries: Iterable[Envelope], at: int) -> Cut:
    """Return where the user's message after the first `at` comes; raises JournalError."""
    said: list[_Said] = []
    waiting: tuple[_Queued, ...] = ()
    for envelope in entries:
        match envelope.entry:
            case InputQueued(text):
                waiting = (*waiting, _Queued(envelope.seq, text))
            case InputUnqueued(text):
                taken = max((one.seq for one in waiting if one.text == text), default=0)
                waiting = tuple(one for one in waiting if one.seq != taken)
            case UserSaid(queued=queued):
                said.append(_Said(envelope.seq, tuple(one.seq for one in waiting)))
                waiting = waiting[1:] if queued else waiting
            case Rewound(kept):
                del said[max(kept, 0) :]
            case _:
                pass
    if not 0 <= at <= len(said):
        raise JournalError(
            say(
                "{at} is none of its messages: give a number from 0 to {said}",
                at=at,
                said=len(said),
            )
        )
    return Cut(said[at].seq, frozenset(said[at].waiting)) if at < len(said) else Cut()


def _beginning(first: Envelope | None, path: Path, session_id: str) -> Envelope:
    if first is None or not isinstance(started := first.entry, SessionStarted):
        raise JournalError(say("{path} does not begin with the start of a session", path=path))
    if started.format > FORMAT:
        raise JournalError(
            say(
                "{path} is of a newer format, {format}: update agent to fork it",
                path=path,
                format=started.format,
            )
        )
    return replace(first, entry=replace(started, id=session_id, forked_from=started.id))

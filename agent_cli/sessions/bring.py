"""Reads a session that comes from elsewhere: a journal, or what was exported as JSON."""

import re
from io import BytesIO
from pathlib import Path

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from agent_cli.i18n.catalog import say
from agent_cli.sessions.codec import FORMAT, PREFIX, SEED, seal
from agent_cli.sessions.stream import Reading, lines_of
from agent_cli.sessions.told import EXPORT_FORMAT
from agent_cli.types.entries import (
    ApprovalSwitched,
    Entry,
    Envelope,
    RuleGranted,
    SessionStarted,
)
from agent_cli.types.errors import JournalError

_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9-]{0,99}")


class Brought(Struct, frozen=True):
    envelopes: tuple[Envelope, ...]
    """At least one; the first is the start of the session."""
    started: SessionStarted
    intact: bool
    """The chain of hashes is the one it was written with."""
    damage: str = ""
    """What is wrong behind them; empty if nothing is."""

    def without_rules(self) -> "Brought":
        """Leave out what somebody else has allowed."""
        allowed = RuleGranted | ApprovalSwitched
        left = tuple(one for one in self.envelopes if not isinstance(one.entry, allowed))
        intact = self.intact and len(left) == len(self.envelopes)
        return replace(self, envelopes=left, intact=intact)

    def renamed(self, session_id: str) -> "Brought":
        """Let it be another session that begins like the one it comes from."""
        started = replace(self.started, id=session_id, forked_from=self.started.id)
        first, *rest = self.envelopes
        envelopes = (replace(first, entry=started), *rest)
        return replace(self, envelopes=envelopes, started=started, intact=False)


class _Kept(Struct, frozen=True):
    """What of an export is needed to have the session again."""

    export_format: int
    journal: tuple[Envelope, ...]
    last_hash: str = ""


def read_brought(path: Path) -> Brought:
    """Read the file; raises JournalError for one that holds no session."""
    try:
        data = path.read_bytes()
    except OSError as error:
        raise JournalError(say("cannot read {path}: {error}", path=path, error=error)) from error
    try:
        return brought(data)
    except JournalError as error:
        raise JournalError(f"{path} {error}") from error


def brought(data: bytes) -> Brought:
    """Return the session that the bytes hold; raises JournalError."""
    if data.startswith(PREFIX):
        reading = Reading(lines_of(BytesIO(data)))
        envelopes = tuple(reading)
        return _session(envelopes, intact=True, damage=reading.damage)
    try:
        kept = msgspec.json.decode(data, type=_Kept)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise JournalError(
            say("is neither a session file nor a session exported as JSON")
        ) from error
    if kept.export_format > EXPORT_FORMAT:
        raise JournalError(
            say(
                "is of a newer format, {export_format}: update agent to import it",
                export_format=kept.export_format,
            )
        )
    return _session(kept.journal, intact=_sealed(kept.journal) == kept.last_hash)


def _session(envelopes: tuple[Envelope, ...], *, intact: bool, damage: str = "") -> Brought:
    first: Entry | None = envelopes[0].entry if envelopes else None
    if not isinstance(first, SessionStarted):
        raise JournalError(say("does not begin with the start of a session"))
    if first.format > FORMAT:
        raise JournalError(
            say("is of a newer format, {format}: update agent to import it", format=first.format)
        )
    if not _ID.fullmatch(first.id):
        raise JournalError(say("has no session id but {id!r}", id=first.id))
    return Brought(envelopes, first, intact, damage)


def _sealed(envelopes: tuple[Envelope, ...]) -> str:
    last_hash = SEED
    for envelope in envelopes:
        _, last_hash = seal(envelope, last_hash)
    return last_hash

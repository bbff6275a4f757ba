"""The sessions there are: one file each, grouped by working directory."""

import hashlib
import secrets
import time
from io import BytesIO
from pathlib import Path
from typing import BinaryIO

import msgspec
from msgspec import Struct

from agent_cli.i18n.catalog import say
from agent_cli.sessions.stream import Reading
from agent_cli.types.entries import ModelSwitched, SessionRenamed, SessionStarted, UserSaid
from agent_cli.types.errors import JournalError

_HEAD = 256 * 1024
"""Bytes in which the start and the first words of a session are looked for."""
_TITLE = 72
_RENAMED = b'"entry":{"type":"session_renamed",'
_SWITCHED = b'"entry":{"type":"model_switched",'
"""Begin a name that was given and another model: they stand nowhere else, for in a text their
quotes are escaped."""
_PIECE = 256 * 1024
_FAR = 64 * 1024 * 1024
"""Bytes from the end in which the last name and the last model are looked for."""


class SessionInfo(Struct, frozen=True):
    id: str
    path: Path
    cwd: str
    model: str
    """The one that was asked last."""
    started: str
    changed: float
    """Seconds since the epoch."""
    title: str
    """The name that it was given, or the beginning of what the user said first."""
    forked_from: str = ""
    """Id of the session whose beginning it shares."""


def new_id() -> str:
    """Return an id that sorts by time and is safe as a file name."""
    return f"{time.strftime('%Y%m%d-%H%M%S', time.gmtime())}-{secrets.token_hex(4)}"


def session_path(directory: Path, cwd: Path, session_id: str) -> Path:
    """Return where the session's file is; `directory` holds all sessions."""
    name = "".join(char if char.isalnum() or char in "-_." else "-" for char in cwd.name)
    digest = hashlib.sha256(str(cwd).encode("utf-8", "surrogateescape")).hexdigest()[:12]
    return directory / f"{name or 'root'}-{digest}" / f"{session_id}.jsonl"


def sessions(directory: Path, cwd: Path | None = None) -> list[SessionInfo]:
    """List the sessions, latest first; of one working directory if it is given."""
    if cwd is None:
        paths = directory.glob("*/*.jsonl")
    else:
        paths = session_path(directory, cwd, "x").parent.glob("*.jsonl")
    found = (_info(path) for path in paths)
    return sorted((info for info in found if info), key=lambda info: info.changed, reverse=True)


def session_files(folder: Path) -> list[Path]:
    """Return the session files anywhere below the folder, in the order of their paths."""
    return sorted(folder.rglob("*.jsonl"))


def find(directory: Path, session_id: str) -> Path:
    """Return the session's file by id or unique beginning of one; raises JournalError."""
    if not session_id or not all(char.isalnum() or char == "-" for char in session_id):
        raise JournalError(
            say("{session_id!r} is not a session id: see `agent sessions`", session_id=session_id)
        )
    found = sorted(directory.glob(f"*/{session_id}*.jsonl"))
    if not found:
        raise JournalError(
            say("there is no session {session_id!r}: see `agent sessions`", session_id=session_id)
        )
    exact = [path for path in found if path.stem == session_id]
    if len(found) > 1 and not exact:
        names = ", ".join(path.stem for path in found[:5])
        raise JournalError(
            say(
                "{session_id!r} could be any of {names}: give more of the id",
                session_id=session_id,
                names=names,
            )
        )
    return (exact or found)[0]


def last_model(path: Path) -> str:
    """Return the model that the session asked last; raises JournalError."""
    info = _info(path)
    if info is None:
        raise JournalError(f"{str(path)!r} cannot be read, or is no session")
    return info.model


def _info(path: Path) -> SessionInfo | None:
    try:
        with path.open("rb") as file:
            head = file.read(_HEAD)
            renamed, switched = _last(file, _RENAMED, _SWITCHED)
        changed = path.stat().st_mtime
    except OSError:
        return None
    envelopes = iter(Reading(BytesIO(head)))
    first = next(envelopes, None)
    if first is None or not isinstance(started := first.entry, SessionStarted):
        return None
    texts = (e.entry.text for e in envelopes if isinstance(e.entry, UserSaid))
    name = renamed.title if isinstance(renamed, SessionRenamed) else next(texts, "")
    title = " ".join(name.split())
    return SessionInfo(
        id=started.id,
        path=path,
        cwd=started.cwd,
        model=switched.model if isinstance(switched, ModelSwitched) else started.model,
        started=first.at,
        changed=changed,
        title=title if len(title) <= _TITLE else f"{title[: _TITLE - 1]}…",
        forked_from=started.forked_from,
    )


def _last(file: BinaryIO, *beginnings: bytes) -> list[SessionRenamed | ModelSwitched | None]:
    """Look from the end back for the last entry with each of the beginnings."""
    size = file.seek(0, 2)
    after = b""
    found: dict[bytes, SessionRenamed | ModelSwitched | None] = {}
    for start in range(size // _PIECE * _PIECE, max(-1, size - _FAR), -_PIECE):
        file.seek(start)
        piece = file.read(_PIECE)
        for beginning in beginnings:
            place = -1 if beginning in found else (piece + after).rfind(beginning)
            if place >= 0:
                file.seek(start + place)
                found[beginning] = _entry_in(file.readline(_PIECE))
        if len(found) == len(beginnings):
            break
        after = piece[: max(map(len, beginnings)) - 1]
    return [found.get(beginning) for beginning in beginnings]


def _entry_in(line: bytes) -> SessionRenamed | ModelSwitched | None:
    entry = line.removeprefix(b'"entry":').removesuffix(b"}\n")
    try:
        return msgspec.json.decode(entry, type=SessionRenamed | ModelSwitched)
    except (msgspec.DecodeError, UnicodeDecodeError):  # the end of a damaged file
        return None

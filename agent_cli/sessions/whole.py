"""Session files that are written whole: complete or not there, and never over another."""

import os
import secrets
from collections.abc import Iterable
from pathlib import Path

from msgspec.structs import replace

from agent_cli.i18n.catalog import say
from agent_cli.sessions.codec import SEED, seal
from agent_cli.sessions.journal import sync_directory
from agent_cli.types.entries import Envelope
from agent_cli.types.errors import JournalError


def write_session(path: Path, envelopes: Iterable[Envelope]) -> str:
    """Seal the entries into a new file, times as they are; return the last line's hash.

    Raises JournalError, and then there is no such file unless there was one before.
    """
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        os.close(_new(path))  # takes the name
    except FileExistsError as error:
        raise JournalError(say("there is a session {stem} already", stem=path.stem)) from error
    except OSError as error:
        raise JournalError(
            say("cannot create the session {path}: {error}", path=path, error=error)
        ) from error
    draft = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
    try:
        last_hash = _written(draft, envelopes)
        draft.replace(path)
        sync_directory(path.parent)
    except BaseException as error:
        path.unlink()
        draft.unlink(missing_ok=True)
        if isinstance(error, OSError | UnicodeEncodeError):
            raise JournalError(
                say("cannot write the session {path}: {error}", path=path, error=error)
            ) from error
        raise
    return last_hash


def write_new(path: Path, data: bytes) -> None:
    """Write a file that only the user can read; raises JournalError where there is one."""
    try:
        with os.fdopen(_new(path), "wb") as file:
            file.write(data)
    except FileExistsError as error:
        raise JournalError(say("{path} is there already: give another name", path=path)) from error
    except OSError as error:
        raise JournalError(say("cannot write {path}: {error}", path=path, error=error)) from error


def _new(path: Path) -> int:
    return os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)


def _written(path: Path, envelopes: Iterable[Envelope]) -> str:
    previous = SEED
    with os.fdopen(_new(path), "wb") as file:
        for seq, envelope in enumerate(envelopes):
            line, previous = seal(replace(envelope, seq=seq), previous)
            file.write(line)
        file.flush()
        os.fsync(file.fileno())
    return previous

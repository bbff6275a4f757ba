"""What was trusted: one file of the user's, by folder, with the contents that were seen.

Rule 1: it changes under a lock, as one step, and only if it is still what was read; so two
processes never lose each other's decision, and a kill leaves the old file or the new one.
Rule 2: fields that we do not know stay as they are.
Rule 3: a file that others could have written, or that is no trust file, is an error and never
an answer.
"""

import fcntl
import os
import stat
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, TypeAlias
from urllib.parse import quote_from_bytes

import msgspec
from msgspec import Struct

from agent_cli.i18n.catalog import say
from agent_cli.trust.manifest import Manifest
from agent_cli.types.errors import ConfigurationError

FORMAT = 1
_DRAFT = ".trust-*.tmp"
KEPT_LIMIT = 64 * 1024
"""Bytes of a content that are kept to compare a later one with; a longer one is only hashed."""

Document: TypeAlias = dict[str, Any]


class Kept(Struct, frozen=True, omit_defaults=True):
    """A file as it was when it was trusted."""

    sha256: str
    content: bytes | None = None
    """None where it was too long to keep."""


def trusted_files(store: Path, root: Path) -> dict[str, Kept] | None:
    """Return what was trusted of the folder; None if it never was. Raises ConfigurationError."""
    entry = _folders(_decode(store, _read(store))).get(_key(root))
    if entry is None:
        return None
    try:
        return msgspec.convert(entry["files"], dict[str, Kept])
    except (msgspec.ValidationError, KeyError, TypeError) as error:
        raise _damaged(store, str(error)) from error


def give(store: Path, root: Path, manifest: Manifest) -> None:
    """Trust the folder with exactly this content."""
    files = {
        name_of(file.path): Kept(
            file.digest, file.content if len(file.content) <= KEPT_LIMIT else None
        )
        for file in manifest.files
    }

    def change(folders: Document) -> bool:
        entry = folders.setdefault(_key(root), {})
        entry["files"] = msgspec.to_builtins(files)
        entry["at"] = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
        return True

    _update(store, change)


def revoke(store: Path, root: Path) -> bool:
    """Trust the folder no more; return whether it had been trusted."""
    return _update(store, lambda folders: folders.pop(_key(root), None) is not None)


def name_of(path: str) -> str:
    """Return a path as the file spells it: any bytes, and no two the same."""
    return quote_from_bytes(os.fsencode(path), safe="/ ()[]{}<>@+,;:=&$!'~^|")


def _key(root: Path) -> str:
    return name_of(os.path.realpath(root))


def _update(store: Path, change: Callable[[Document], bool]) -> bool:
    """Let the folders be changed; nothing is written if `change` says that nothing was."""
    try:
        store.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with _locked(store):
            while True:
                before = _read(store)
                document = _decode(store, before)
                if not change(_folders(document)):
                    return False
                if _replace(store, before, msgspec.json.format(msgspec.json.encode(document))):
                    return True
    except OSError as error:
        raise ConfigurationError(
            say("cannot write {store!r}: {error}", store=str(store), error=error)
        ) from error


def _replace(store: Path, before: bytes, after: bytes) -> bool:
    """Put the new content in place; False if somebody changed the file since it was read."""
    draft = store.with_name(_DRAFT.replace("*", os.urandom(8).hex()))
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC
    try:
        with os.fdopen(os.open(draft, flags, 0o600), "wb") as file:
            file.write(after)
            file.flush()
            os.fsync(file.fileno())
        if _read(store) != before:
            return False
        draft.replace(store)
    finally:
        with suppress(FileNotFoundError):
            draft.unlink()
    folder = os.open(store.parent, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)
    return True


@contextmanager
def _locked(store: Path) -> Generator[None]:
    lock = store.with_name(store.name + ".lock")
    flags = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC
    descriptor = os.open(lock, flags, 0o600)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        for left in store.parent.glob(_DRAFT):  # by a process that was killed: we have the lock
            left.unlink(missing_ok=True)
        yield
    finally:
        os.close(descriptor)


def _read(store: Path) -> bytes:
    flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
    try:
        descriptor = os.open(store, flags)
    except FileNotFoundError:
        return b""
    except OSError as error:
        raise ConfigurationError(
            say("cannot read {store!r}: {error}", store=str(store), error=error)
        ) from error
    with os.fdopen(descriptor, "rb") as file:
        found = os.fstat(descriptor)
        others = found.st_mode & (stat.S_IWGRP | stat.S_IWOTH)
        if not stat.S_ISREG(found.st_mode) or found.st_uid != os.geteuid() or others:
            raise ConfigurationError(
                say(
                    "{store!r} could have been written by others, so nothing in it counts: look "
                    "at it, then make it yours with chmod 600 or remove it",
                    store=str(store),
                )
            )
        return file.read()


def _decode(store: Path, data: bytes) -> Document:
    if not data:
        return {"format": FORMAT, "folders": {}}
    try:
        document = msgspec.json.decode(data, type=Document)
    except msgspec.DecodeError as error:
        raise _damaged(store, str(error)) from error
    if document.get("format") != FORMAT:
        raise _damaged(store, f"its format is {document.get('format')!r} and not {FORMAT}")
    if not isinstance(document.get("folders"), dict):
        raise _damaged(store, "it names no folders")
    return document


def _folders(document: Document) -> Document:
    folders: Document = document["folders"]
    return folders


def _damaged(store: Path, problem: str) -> ConfigurationError:
    return ConfigurationError(
        say(
            "{store!r} is not what agent wrote ({problem}): repair or remove it; folders are "
            "then asked about anew",
            store=str(store),
            problem=problem,
        )
    )

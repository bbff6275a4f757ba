"""Changes a file of the user's as one step.

That happens under a lock, and only if the file is still what was read: two processes lose none of
each other's changes, nor those of an editor, and a kill leaves the old file or the new one.
"""

import fcntl
import os
from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path

from agent_cli.i18n.catalog import say
from agent_cli.types.errors import ConfigurationError


def rewrite(path: Path, change: Callable[[str], str]) -> None:
    """Write what the change makes of the file's text; raises ConfigurationError."""
    change(read_text(path))  # what cannot be is said before a folder is made for it
    real = Path(os.path.realpath(path))
    try:
        real.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with _locked(real):
            while True:
                before = read_text(real)
                if _replaced(real, before, change(before)):
                    return
    except OSError as error:
        raise ConfigurationError(
            say("cannot write {path!r}: {error}", path=str(path), error=error)
        ) from error


def read_text(path: Path) -> str:
    """Return the file's text, empty where there is none; raises ConfigurationError."""
    try:
        return path.read_bytes().decode("utf-8")
    except FileNotFoundError:
        return ""
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigurationError(
            say("cannot read {path!r}: {error}", path=str(path), error=error)
        ) from error


@contextmanager
def _locked(path: Path) -> Generator[None]:
    """Keep other processes of ours out; no file is needed for that."""
    folder = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        fcntl.flock(folder, fcntl.LOCK_EX)
        for left in path.parent.glob(".*.tmp"):
            if left.name.startswith(f".{path.name}."):  # by a process that was killed
                left.unlink(missing_ok=True)
        yield
        os.fsync(folder)
    finally:
        os.close(folder)


def _replaced(path: Path, before: str, text: str) -> bool:
    """Write it whole or not at all; False if somebody changed the file since it was read.

    A new file is the user's alone, for it may hold keys.
    """
    mode = path.stat().st_mode & 0o777 if path.exists() else 0o600
    draft = path.with_name(f".{path.name}.{os.urandom(8).hex()}.tmp")
    descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8", newline="") as file:
            file.write(text)
            file.flush()
            os.fchmod(descriptor, mode)
            os.fsync(descriptor)
        if read_text(path) != before:
            return False
        draft.replace(path)
    finally:
        draft.unlink(missing_ok=True)
    return True

"""What was typed before: one JSON string a line, the oldest first, shared by all that run.

Rule 1: the file is the user's alone, and is appended to and tidied under a lock on its folder.
Rule 2: it is bounded: twice what is kept is the most it grows to before it is tidied. What is
longer than `LONGEST` is kept for this run only.
Rule 3: it is a convenience: where it cannot be read or written, what is typed still counts.
"""

import fcntl
import os
from collections.abc import Callable, Generator, Iterable
from contextlib import contextmanager, suppress
from pathlib import Path

import msgspec
from prompt_toolkit.history import History

MOST = 1_000
"""Entries that are kept."""
LONGEST = 64 * 1024
"""Bytes of one entry."""
_MOST_BYTES = 2 * 1024 * 1024
"""Of all that are kept."""


class LineHistory(History):
    """The history in a file; None for one that ends with the run.

    In memory an entry may be folded: `unfold` says what is written, `fold` what is offered.
    """

    def __init__(
        self,
        path: Path | None,
        unfold: Callable[[str], str] = str,
        fold: Callable[[str], str] = str,
    ) -> None:
        super().__init__()
        self._path = path
        self._unfold = unfold
        self._fold = fold

    def load_history_strings(self) -> Iterable[str]:
        """Return the entries, the newest first, each once."""
        if self._path is None:
            return ()
        try:
            return [self._fold(text) for text in reversed(entries(self._path))]
        except OSError:
            return ()

    def append_string(self, string: str) -> None:
        if string.strip() and self.get_strings()[-1:] != [string]:
            super().append_string(string)

    def store_string(self, string: str) -> None:
        text = self._unfold(string)
        if self._path is not None and text.strip():
            with suppress(OSError):  # rule 3
                _add(self._path, text)


def entries(path: Path) -> list[str]:
    """Return what the file holds, the newest last, each once; tidy the file if it has grown."""
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        return []
    kept = _kept(data)
    if len(data) > 2 * _MOST_BYTES or data.count(b"\n") > 2 * MOST:
        with suppress(OSError), _locked(path.parent):  # rule 3
            kept = _kept(path.read_bytes())
            _replace(path, b"".join(map(_line, kept)))
    return kept


def _kept(data: bytes) -> list[str]:
    """Return the newest entries, the newest last; lines that are none are passed over."""
    found: dict[str, None] = {}
    room = _MOST_BYTES
    for line in reversed(data.split(b"\n")):
        if len(found) == MOST or room < len(line):
            break
        with suppress(msgspec.DecodeError):
            text = msgspec.json.decode(line, type=str)
            room -= 0 if text in found else len(line)
            found.setdefault(text)
    return list(reversed(found))


def _add(path: Path, text: str) -> None:
    line = _line(text)
    if len(line) > LONGEST:
        return
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    with _locked(path.parent):
        flags = os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC
        file = os.open(path, flags, 0o600)
        try:
            os.fchmod(file, 0o600)
            size = os.fstat(file).st_size
            torn = size > 0 and os.pread(file, 1, size - 1) != b"\n"
            os.write(file, b"\n" + line if torn else line)
        finally:
            os.close(file)


def _replace(path: Path, data: bytes) -> None:
    other = path.with_name(f"{path.name}.{os.getpid()}")
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
    file = os.open(other, flags, 0o600)
    try:
        with os.fdopen(file, "wb") as whole:
            whole.write(data)
        other.replace(path)
    except BaseException:
        other.unlink(missing_ok=True)
        raise


def _line(text: str) -> bytes:
    safe = text.encode("utf-8", "replace").decode("utf-8")
    return msgspec.json.encode(safe) + b"\n"


@contextmanager
def _locked(folder: Path) -> Generator[None, None, None]:
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)

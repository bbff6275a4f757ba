"""The whole output of a program that printed more than anybody reads, in a file of its own."""

import os
import time
from contextlib import suppress
from pathlib import Path

_LIMIT = 64 * 1024 * 1024
"""Bytes; a program that prints for ever must not fill the disk."""
_MOST = 256 * 1024 * 1024
"""Bytes of all files together."""
_DAYS = 7
_DAY = 24 * 60 * 60


class Spills:
    """The folder of these files: private, and cleared of what is old or too much."""

    def __init__(self, folder: Path, *, temporary: bool = False) -> None:
        """Take a folder that need not exist; a temporary one is gone with `close`."""
        self._folder = folder
        self._temporary = temporary
        self._pruned = False

    def file(self) -> "Spill":
        return Spill(self)

    def create(self) -> tuple[int, str]:
        """Return a new file's descriptor and path."""
        import tempfile  # noqa: PLC0415 - 6 ms, only for the few runs that print too much

        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        if not self._pruned:
            self._pruned = True
            self._prune()
        return tempfile.mkstemp(".txt", "output-", self._folder)

    def close(self) -> None:
        if self._temporary and self._folder.is_dir():
            import shutil  # noqa: PLC0415 - rarely needed

            shutil.rmtree(self._folder, ignore_errors=True)

    def _prune(self) -> None:
        """Remove what is older than a week, and the oldest of more than a quarter gigabyte."""
        oldest_kept = time.time() - _DAYS * _DAY
        room = _MOST - _LIMIT  # for the file that is about to be written
        with suppress(OSError):  # another session prunes at the same time
            files = [(path.stat(), path) for path in self._folder.glob("output-*.txt")]
            for stat, path in sorted(files, key=lambda one: one[0].st_mtime, reverse=True):
                room -= stat.st_size
                if room < 0 or stat.st_mtime < oldest_kept:
                    path.unlink(missing_ok=True)


class Spill:
    """A private file that exists once something has been written to it."""

    def __init__(self, spills: Spills) -> None:
        self._spills = spills
        self._descriptor: int | None = None
        self._room = _LIMIT
        self.path: str | None = None

    def write(self, text: str) -> None:
        """Add text, up to the limit. A full disk costs the rest of the file, not the run."""
        data = text.encode(errors="replace")
        if len(data) > self._room:
            data = data[: self._room].decode(errors="ignore").encode()
            self._room = len(data)  # nothing comes behind the cut
        if not data:
            return
        self._room -= len(data)
        try:
            self._append(data)
        except OSError:
            self._room = 0

    def _append(self, data: bytes) -> None:
        if self._descriptor is None:
            self._descriptor, self.path = self._spills.create()
        while data:
            data = data[os.write(self._descriptor, data) :]

    def close(self) -> None:
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None

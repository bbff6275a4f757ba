"""The whole output of a program that printed more than anybody reads, in a file of its own."""

import os
from pathlib import Path

_LIMIT = 64 * 1024 * 1024
"""Bytes; a program that prints for ever must not fill the disk."""


class Spill:
    """A private file that exists once something has been written to it."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._descriptor: int | None = None
        self._room = _LIMIT
        self.path: str | None = None

    def write(self, text: str) -> None:
        """Add text, up to the limit. A full disk costs the rest of the file, not the run."""
        data = text.encode(errors="replace")[: self._room]
        if not data:
            return
        self._room -= len(data)
        try:
            self._append(data)
        except OSError:
            self._room = 0

    def _append(self, data: bytes) -> None:
        import tempfile  # noqa: PLC0415 - 6 ms, only for the few runs that print too much

        if self._descriptor is None:
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            self._descriptor, self.path = tempfile.mkstemp(".txt", "output-", self._folder)
        while data:
            data = data[os.write(self._descriptor, data) :]

    def close(self) -> None:
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None

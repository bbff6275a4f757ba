"""Which files a call gave the model to read, and what was in them at that moment."""

from hashlib import sha256

from agent_cli.types.evidence import FileRead

READING = "read_file"
"""The tool whose reads are recorded: only it shows what it has read as it is."""

LONGEST = 16 * 1024 * 1024
"""Bytes of a file; hashing a longer one takes too long for what it is worth."""


class Reads:
    """What one call reads, hashed as it is read: later the file may be another."""

    def __init__(self) -> None:
        self._found: dict[str, FileRead] = {}

    def saw(self, path: str, content: bytes) -> None:
        if len(content) <= LONGEST:
            self._found[path] = FileRead(_as_text(path), sha256(content).hexdigest())

    @property
    def found(self) -> tuple[FileRead, ...]:
        return tuple(self._found.values())


def _as_text(path: str) -> str:
    return path.encode("utf-8", "backslashreplace").decode()

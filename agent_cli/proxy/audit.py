"""What the proxy did, one JSON object a line: a private file without secrets."""

import os
import time
from collections import deque
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import msgspec

from agent_cli.proxy.listening import Listener, Nobody
from agent_cli.types.errors import ConfigurationError
from agent_cli.types.redaction import Redactor

LONGEST = 4_096
"""Characters of a value; what is longer is cut."""


class Audit:
    """Writes events. Whoever makes one closes it."""

    def __init__(
        self,
        path: Path | None,
        max_bytes: int,
        redactor: Redactor,
        listens: Listener = Nobody(),  # noqa: B008 - it has no state
    ) -> None:
        """Write to the file; nothing without a path. Raises ConfigurationError."""
        self._path = path
        self._max_bytes = max_bytes
        self._redactor = redactor
        self._listens = listens
        self._file = _opened(path) if path is not None else -1

    def write(self, event: str, request_id: str, **fields: object) -> None:
        self._listens.tell(event, request_id, fields)
        if self._path is None:
            return
        made = {"at": round(time.time(), 3), "event": event, "request_id": request_id, **fields}
        line = msgspec.json.encode(_clean(msgspec.to_builtins(made), self._redactor)) + b"\n"
        if os.fstat(self._file).st_size + len(line) > self._max_bytes:
            os.close(self._file)
            self._path.replace(self._path.with_name(self._path.name + ".1"))
            self._file = _opened(self._path)
        os.write(self._file, line)

    def close(self) -> None:
        if self._file >= 0:
            os.close(self._file)
            self._file = -1


def _opened(path: Path) -> int:
    try:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        return os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
    except OSError as error:
        raise ConfigurationError(f"audit.path {str(path)!r} cannot be written: {error}") from error


def _clean(value: Any, redactor: Redactor) -> Any:
    if isinstance(value, str):
        clean = redactor.text(value)
        return clean if len(clean) <= LONGEST else clean[:LONGEST] + "…"
    if isinstance(value, list):
        return [_clean(one, redactor) for one in value]  # pyright: ignore[reportUnknownVariableType] - JSON
    if isinstance(value, dict):
        return {name: _clean(one, redactor) for name, one in value.items()}  # pyright: ignore[reportUnknownVariableType] - as above
    return value


def events(path: Path, last: int, kinds: frozenset[str] = frozenset()) -> Iterator[str]:
    """Yield the last lines, those of these kinds. Raises ConfigurationError."""
    kept: deque[str] = deque(maxlen=last)
    try:
        with path.open(encoding="utf-8") as lines:
            for line in lines:
                if not kinds or _kind(line) in kinds:
                    kept.append(line.rstrip("\n"))
    except OSError as error:
        raise ConfigurationError(f"audit.path {str(path)!r} cannot be read: {error}") from error
    yield from kept


def _kind(line: str) -> str:
    try:
        read: Mapping[str, Any] = msgspec.json.decode(line, type=dict[str, Any])
    except msgspec.DecodeError:
        return ""
    return str(read.get("event"))

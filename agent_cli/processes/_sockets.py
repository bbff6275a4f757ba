"""Sockets of services on this host, which do what they are told for whoever can write to them.

No mount that is read-only keeps anybody from connecting: a terminal multiplexer's socket runs
commands outside of every wall, and so does a container engine's.
"""

import os
from collections.abc import Sequence
from pathlib import Path

_TABLE = Path("/proc/net/unix")
_BEFORE_THE_PATH = 7
"""Columns: address, references, protocol, flags, type, state, inode."""


def of_services(inside: Sequence[str], table: Path = _TABLE) -> tuple[str, ...]:
    """Return the sockets that we could connect to, but for those inside of these directories.

    Links are resolved. A socket whose service gave it a relative name is not found.
    """
    try:
        lines = table.read_text(encoding="utf-8", errors="surrogateescape").splitlines()
    except OSError:
        return ()
    columns = (line.split(maxsplit=_BEFORE_THE_PATH) for line in lines)
    names = {one[-1] for one in columns if len(one) > _BEFORE_THE_PATH and one[-1][0] == "/"}
    reached = {os.path.realpath(name) for name in names if os.access(name, os.W_OK)}
    return tuple(sorted(path for path in reached if not _lies_in(path, inside)))


def _lies_in(path: str, places: Sequence[str]) -> bool:
    return any(path.startswith(place.rstrip("/") + "/") for place in places)

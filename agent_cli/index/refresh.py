"""Brings an index up to date with the files: reads what has changed, forgets what has gone.

Files are found and read through the workspace alone, so what it refuses or hides is never there.
A file is read again when its stamp (size, times) has changed, and taken in anew when its content
has.
"""

import time
from collections.abc import Callable, Iterator
from hashlib import sha256
from pathlib import PurePosixPath

from msgspec import Struct

from agent_cli.index.bounds import BYTES, FILES, LARGEST, SECONDS
from agent_cli.index.chunks import chunks
from agent_cli.index.grammars import installed
from agent_cli.index.store import Known, Read, Store
from agent_cli.types.errors import ToolError
from agent_cli.workspace.editor import decode, printable
from agent_cli.workspace.gate import Entry, Workspace

_BATCH = 64
"""Files that are written at once."""
_TOLD_EVERY = 512
"""Files."""
_SETTLED = 0.1
"""Seconds: a file that was changed this short a time ago may change again unnoticed."""
_IGNORE_FILE = ".agentignore"
_CLOSED = frozenset({"node_modules", "__pycache__", "site-packages", "venv", ".venv"})
"""Directories of what nobody here wrote."""


class Work(Struct, frozen=True):
    """What a refresh is to be done with."""

    workspace: Workspace
    root: str
    stopped: Callable[[], bool]
    """Whether nobody waits any more."""
    tell: Callable[[str], None]


class Coverage(Struct, frozen=True):
    """How much of the workspace is in the index."""

    files: int
    note: str = ""
    """What is missing, and why."""


def refresh(store: Store, work: Work) -> Coverage:
    store.keep_only(_origin(work))
    known = store.known()
    deadline = time.monotonic() + SECONDS
    seen: set[str] = set()
    batch: list[Read] = []
    size = 0
    try:
        for entry in _files(work):
            note = _limit(len(seen), size, deadline, work)
            if note:
                _put(store, batch)
                return Coverage(len(seen), note)
            read = _read(entry, known.get(entry.path), work.workspace)
            if read is None:
                continue
            seen.add(entry.path)
            size += read.size
            if isinstance(read, Read):
                batch.append(read)
            if len(batch) >= _BATCH:
                _put(store, batch)
            if len(seen) % _TOLD_EVERY == 0:
                work.tell(f"indexing: {len(seen)} files\n")
    except ToolError as error:  # too many entries to walk
        _put(store, batch)
        return Coverage(len(seen), str(error))
    _put(store, batch)
    store.remove(known.keys() - seen)
    return Coverage(len(seen))


def text_of(data: bytes) -> str | None:
    """Return the text as it is taken in: valid, lines ending in LF; None for what is no text."""
    text = decode(data)
    if text.is_binary:
        return None
    return printable(text.body).replace("\r\n", "\n").replace("\r", "\n")


def hash_of(text: str) -> bytes:
    return sha256(text.encode()).digest()[:16]


def _origin(work: Work) -> bytes:
    """Return what the whole index depends on: the grammars, and what is refused."""
    parts = [*(name.encode() for name in installed())]
    ignore_file = str(PurePosixPath(work.root, _IGNORE_FILE))
    if work.workspace.is_file(ignore_file):
        parts.append(work.workspace.read(ignore_file))
    return sha256(b"\0".join(parts)).digest()


def _files(work: Work) -> Iterator[Entry]:
    for entry in work.workspace.walk(work.root, stamped=True):
        if entry.stamp and not entry.is_link and _CLOSED.isdisjoint(entry.path.split("/")):
            yield entry


def _limit(files: int, size: int, deadline: float, work: Work) -> str:
    if files >= FILES:
        return f"only the first {FILES} files are in the index: search in a part of them"
    if size >= BYTES:
        return f"only the first {BYTES // 1024 // 1024} MiB of text are in the index"
    if time.monotonic() > deadline or work.stopped():
        return f"the index is not complete yet ({files} files so far): search again for the rest"
    return ""


def _put(store: Store, batch: list[Read]) -> None:
    if batch:
        store.put(batch)
        batch.clear()


def _read(entry: Entry, known: Known | None, workspace: Workspace) -> Read | Known | None:
    """Return the file as it is now; as it is known if it has not changed; None if refused."""
    if known is not None and known.stamp == entry.stamp:
        return known
    size, changed = (int(part) for part in entry.stamp.split()[:3:2])
    if size > LARGEST:
        return Read(entry.path, entry.stamp, b"", 0)
    settled = time.time_ns() - changed > _SETTLED * 1e9
    stamp = entry.stamp if settled else ""
    try:
        data = workspace.read(entry.path)
    except ToolError:  # refused, unreadable, or gone
        return None
    body = text_of(data)
    digest = sha256(data).digest()
    if body is None:
        return Read(entry.path, stamp, digest, 0)
    parts = tuple((hash_of(chunk.text), chunk) for chunk in chunks(entry.path, body))
    return Read(entry.path, stamp, digest, len(data), parts)

"""What the files of a workspace are now, so that what a command changes can be told and undone.

A scan shows which files are new or have another status than before; only those are read. Not kept
are files of keys, what .agentignore and .gitignore cover, files over `MOST_OF_FILE`, and what the
pool has no room for: that they changed can be told all the same, but for what .gitignore covers.

A change made by somebody else while a command runs is taken for the command's. What a command in
the background does while no call runs is taken for somebody else's.
"""

import os
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from threading import Lock

import msgspec
from msgspec import Struct

from agent_cli.types.errors import ToolError
from agent_cli.types.evidence import FileChange, FileVersion
from agent_cli.undo.preimages import Folder, digest, write_whole
from agent_cli.undo.restore import version
from agent_cli.workspace.placing import look
from agent_cli.workspace.scan import Scanner, Stamp

MOST_OF_FILE = 16 * 1024 * 1024
"""Bytes."""
_SETTLED = 50_000_000
"""Nanoseconds after which a file that changes again surely has another time."""
_UNSURE: Stamp = (0, 0, 0, 0, 0)
_YIELD = 0.005
_PAUSE = 0.001


class Seen(Struct, frozen=True, array_like=True):
    """One file as it was seen last."""

    stamp: Stamp
    version: FileVersion | None
    """None if its content was not kept."""


_Index = dict[str, Seen]


class Stopped(Exception):  # noqa: N818 - not an error: the session ends
    """The work was given up."""


class Baseline:
    """The files of one workspace; may be asked from several threads, one after the other."""

    def __init__(self, roots: tuple[str, ...], contents: Folder, own: Folder) -> None:
        """Keep contents in the pool, and those that a change of the session needs in its own."""
        self._scanners = [(_prefix(root, roots), Scanner(root)) for root in _outermost(roots)]
        self._pool = contents
        self._own = own
        self._shared = contents.path / f"{digest(os.fsencode(chr(0).join(roots)))[:32]}.index"
        self._known: _Index | None = None
        self._first: dict[str, Seen | None] = {}
        """What the files were at the mark that are not the same any more."""
        self._lock = Lock()
        self._noted = False
        """Whether the file that `resume` reads says what is known."""
        self._unsaved = False
        """Whether more is known than the next session would find."""
        self.stopped = False
        """Set to end the work of another thread soon."""

    def prepare(self) -> None:
        """Read what is there for the first time, with pauses, for somebody else is at work."""
        with suppress(Stopped), self._lock:
            self._update(_unhurried())

    def mark(self, call_id: str) -> None:
        """Take what is there now for the state before the call; raises ToolError and OSError."""
        with self._lock:
            self._update(_at_once)
            self._first.clear()
            if not self._noted:
                _save(self._own.path / _RUNNING, self._known)
                self._noted = True
            with suppress(OSError):
                write_whole(self._own.path / _CALL, call_id.encode())

    def resume(self, call_id: str) -> bool:
        """Take up what `mark` has left for the call in a process that was killed."""
        try:
            if (self._own.path / _CALL).read_bytes() != call_id.encode():
                return False
            data = (self._own.path / _RUNNING).read_bytes()
            self._known = msgspec.msgpack.decode(data, type=_Index)
        except (OSError, msgspec.DecodeError):
            return False
        return True

    def changes(self, *, looked: bool = False) -> tuple[tuple[FileChange, ...], tuple[str, ...]]:
        """Return what was changed since the mark, and paths of what cannot be brought back.

        `looked` says that `look_again` has just been called.
        """
        with self._lock:
            if not looked:
                self._update(_at_once)
            known = self._known or {}
            made: list[FileChange] = []
            missed: list[str] = []
            for path, before in self._first.items():
                self._compare(path, before, known.get(path), made, missed)
            self._first.clear()
            return tuple(made), tuple(missed)

    def look_again(self) -> None:
        """Look at what is there, before `changes`; raises ToolError and OSError."""
        with self._lock:
            self._update(_at_once)

    def close(self) -> None:
        """Leave to the next session what is known; another thread's work is given up."""
        self.stopped = True
        with self._lock:
            if self._known is not None and self._unsaved:
                _save(self._shared, self._known)

    def _compare(
        self,
        path: str,
        before: Seen | None,
        after: Seen | None,
        made: list[FileChange],
        missed: list[str],
    ) -> None:
        old = before.version if before is not None else None
        new = after.version if after is not None else None
        if (before is not None and old is None) or (after is not None and new is None):
            if before is None or after is None or before.stamp != after.stamp:
                missed.append(_spelled(path))
        elif old != new:
            spelled = _spelled(path)
            if spelled != path or (old is not None and not self._adopt(path, old)):
                missed.append(spelled)
                return
            if new is not None:
                self._adopt(path, new)
            made.append(FileChange(path, old, new))

    def _adopt(self, path: str, kept: FileVersion) -> bool:
        try:
            return path.endswith("/") or self._own.adopt(kept.hash, self._pool)
        except OSError:
            return False

    def _update(self, paced: Callable[[], None]) -> None:
        """Bring what is known up to date, and remember what it was."""
        known = _load(self._shared, self._pool) if self._known is None else self._known
        self._known = known
        there: set[str] = set()

        def step() -> None:
            if self.stopped:
                raise Stopped
            paced()

        for prefix, scanner in self._scanners:
            for name, stamp in scanner.scan(step).items():
                path = prefix + name
                there.add(path)
                old = known.get(path)
                if old is not None and old.stamp == stamp:
                    continue
                refused = name in scanner.refused
                self._now(path, old, self._seen(path, stamp, refused=refused), known)
                step()
        for path in [path for path in known if path not in there]:
            self._first.setdefault(path, known.pop(path))
            self._noted, self._unsaved = False, True

    def _now(self, path: str, old: Seen | None, new: Seen, known: _Index) -> None:
        if old is None or old.version != new.version or new.version is None:
            self._first.setdefault(path, old)
        known[path] = new
        self._noted, self._unsaved = False, True

    def _seen(self, path: str, stamp: Stamp, *, refused: bool) -> Seen:
        if path.endswith("/"):
            return Seen(stamp, FileVersion(_NOTHING, stamp[0]))
        if refused or stamp[2] > MOST_OF_FILE:
            return Seen(stamp, None)
        place = path if path.startswith("/") else f"{self._scanners[0][1].root}/{path}"
        try:
            thing = look(place, MOST_OF_FILE)
            kept = thing is not None and self._pool.put(thing.data, durable=False) is not None
        except (OSError, ToolError):
            return Seen(stamp, None)
        if not kept:
            return Seen(stamp, None)
        settled = time.time_ns() - stamp[4] > _SETTLED
        return Seen(stamp if settled else _UNSURE, version(thing))


def _load(place: Path, contents: Folder) -> _Index:
    """Return what an earlier session knew, as far as the contents are kept."""
    try:
        index = msgspec.msgpack.decode(place.read_bytes(), type=_Index)
    except (OSError, msgspec.DecodeError):
        return {}
    kept = contents.known()
    return {
        path: one
        for path, one in index.items()
        if one.version and (one.version.hash in kept or path.endswith("/"))
    }


def _save(place: Path, index: _Index | None) -> None:
    with suppress(OSError, UnicodeEncodeError):
        write_whole(place, msgspec.msgpack.encode(index))


_NOTHING = digest(b"")
_RUNNING, _CALL = "running", "call"


def _prefix(root: str, roots: tuple[str, ...]) -> str:
    return "" if root == roots[0] else root.rstrip("/") + "/"


def _outermost(roots: tuple[str, ...]) -> list[str]:
    """Leave out the roots that lie in others; the first one stays in any case."""
    others = [root for root in roots[1:] if not root.startswith(roots[0].rstrip("/") + "/")]
    return [
        roots[0],
        *(
            one
            for one in dict.fromkeys(others)
            if not any(one.startswith(other.rstrip("/") + "/") for other in others if other != one)
            and one != roots[0]
        ),
    ]


def _spelled(path: str) -> str:
    return path.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")


def _at_once() -> None:
    """Make no pause."""


def _unhurried() -> Callable[[], None]:
    """Return what lets others work for a moment, after each few milliseconds."""
    until = time.monotonic() + _YIELD

    def pace() -> None:
        nonlocal until
        if time.monotonic() > until:
            time.sleep(_PAUSE)
            until = time.monotonic() + _YIELD

    return pace

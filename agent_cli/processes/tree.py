"""Ends a program together with everything it started.

A process belongs to the tree when it descends from the top, when it is in the program's session,
or when it carries the run's mark in its environment. On Linux the top is the keeper of the run,
who adopts every orphan of it, so descent alone is complete; the others are for when the keeper
is gone, or cannot adopt. Where there is no /proc, the process group is all we know.

Runs in the agent as well as in the keepers, hence nothing from outside the standard library.
"""

import os
import signal
import time
from collections.abc import Callable, Iterator

GRACE = 1.2
"""Seconds between the request to end and the end; all is over within two."""
PROC = "/proc"
MARK = "AGENT_PROCESS_TREE"
"""Variable whose value is the same in every process of one run, so that none of them gets lost."""
_POLL = 0.05
_ROUNDS = 100
_PAUSE = 0.01
"""Between two looks at what was killed: the memory of a large process takes a moment."""


class Tree:
    """The processes of one run, or of all of them."""

    def __init__(self, top: int, *, session: int = 0, mark: bytes = b"", proc: str = PROC) -> None:
        """`top` is not itself a member; `session` and `mark` may be empty."""
        self._top = top
        self._session = session
        self._mark = mark
        self._proc = proc
        self._seen: dict[int, bytes] = {}

    def end(self, hurry: Callable[[float], bool]) -> None:
        """End it: politely, then, when the grace is over, by force.

        `hurry` waits for at most so many seconds and says whether the grace is over before.
        """
        self._signal(signal.SIGTERM)
        deadline = time.monotonic() + GRACE
        while self.alive() and time.monotonic() < deadline:
            if hurry(_POLL):
                break
        self.kill(lambda: hurry(0))

    def kill(self, meanwhile: Callable[[], object] = lambda: None) -> None:
        """Kill until nobody is left: a process may start another while we look."""
        for _ in range(_ROUNDS):
            self._signal(signal.SIGKILL)
            if not self.alive():
                return
            self._kill_children(meanwhile)

    def _kill_children(self, meanwhile: Callable[[], object]) -> None:
        """Kill the top's own children as fast as it goes, for a moment.

        Who starts another and ends, all the time, is gone before a look at all processes is over;
        but every time the next one is left to the top, if that adopts orphans.
        """
        until = time.monotonic() + _PAUSE
        while time.monotonic() < until:
            children = _content(f"{self._proc}/{self._top}/task/{self._top}/children").split()
            for pid in children:
                _send(int(pid), signal.SIGKILL)
            meanwhile()
            if not children:
                time.sleep(_PAUSE)

    def alive(self) -> bool:
        if os.path.isdir(self._proc):  # noqa: PTH112 - pathlib is half of a keeper's start
            return bool(self.members())
        return _group(self._session, 0)

    def members(self) -> dict[int, bytes]:
        """Return the living processes: their ids, and when each was started.

        Parents come first: a shell that is told to end before its child has no time for the
        next line of its script.
        """
        living = {pid: process for pid in self._ids() if (process := read(pid, self._proc))}
        found = [self._top, *(pid for pid in living if self._recognises(pid, living[pid][1]))]
        known = set(found)
        for parent in found:  # grows while we go through it
            children = [pid for pid in living if living[pid][0] == parent and pid not in known]
            found += children
            known.update(children)
        return {pid: living[pid][2] for pid in found if pid in living and pid != self._top}

    def _recognises(self, pid: int, session: int) -> bool:
        if self._session and session == self._session:  # 0 is the kernel's own
            return True
        return bool(self._mark) and marked(pid, self._mark, self._proc)

    def _signal(self, number: int) -> None:
        """Signal the members, and whoever was one: the start tells it from a later namesake."""
        if not os.path.isdir(self._proc):  # noqa: PTH112 - as above
            _group(self._session, number)
        self._seen |= self.members()
        for pid, started in self._seen.items():
            now = read(pid, self._proc)
            if now is not None and now[2] == started:
                _send(pid, number)

    def _ids(self) -> Iterator[int]:
        if os.path.isdir(self._proc):  # noqa: PTH112 - as above
            yield from (int(one.name) for one in os.scandir(self._proc) if one.name.isdecimal())


def read(pid: int, proc: str = PROC) -> tuple[int, int, bytes] | None:
    """Return a process's parent, session and start in clock ticks since boot.

    None when it is gone or only waits for its parent to notice.
    """
    stat = _content(f"{proc}/{pid}/stat")
    # The name comes second, in brackets, and may itself hold brackets and blanks.
    fields = stat.rpartition(b")")[2].split()
    if not fields or fields[0] in {b"Z", b"X"}:
        return None
    return int(fields[1]), int(fields[3]), fields[19]


def marked(pid: int, mark: bytes, proc: str = PROC) -> bool:
    """Return whether the variable stands in the environment that the process was given."""
    return mark in _content(f"{proc}/{pid}/environ").split(b"\0")


def _content(path: str) -> bytes:
    try:
        with open(path, "rb") as file:  # noqa: PTH123 - as above
            return file.read()
    except OSError:  # gone, or another user's
        return b""


def _group(leader: int, number: int) -> bool:
    if not leader:
        return False  # 0 would be our own group
    try:
        os.killpg(leader, number)
    except (ProcessLookupError, PermissionError):
        return False
    return True


def _send(pid: int, number: int) -> None:
    try:
        os.kill(pid, number)
    except (ProcessLookupError, PermissionError):
        return  # gone by itself, or another user's: sudo ends its own child

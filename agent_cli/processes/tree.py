"""Ends a program together with everything it started.

A process belongs to the run when it is in the program's session, when it descends from the
program, or when it carries the run's mark in its environment: that finds those who left the
session and lost their parent. Where there is no /proc, the process group is all we know.
"""

import asyncio
import os
import signal
from collections.abc import Iterator
from pathlib import Path

from msgspec import Struct

from agent_cli.processes.environment import MARK

GRACE = 1.2
"""Seconds between the request to end and the end; all is over within two."""
_POLL = 0.05
_ROUNDS = 20
PROC = Path("/proc")


class _Process(Struct, frozen=True):
    pid: int
    parent: int
    session: int
    started: str
    """Clock ticks since boot: tells a process from a later one that was given the same id."""


async def end(root: int, mark: str, proc: Path = PROC) -> None:
    """End the run: politely, then, when the grace is over or we are cancelled, by force."""
    seen = members(root, mark, proc)
    try:
        _signal(root, seen, signal.SIGTERM, proc)
        for _ in range(int(GRACE / _POLL)):
            if not _alive(root, mark, proc):
                return
            await asyncio.sleep(_POLL)
    finally:
        _kill(root, mark, seen, proc)


def members(root: int, mark: str, proc: Path = PROC) -> frozenset[_Process]:
    """Return the living processes of the run."""
    living = tuple(_processes(proc))
    found = {one.pid for one in living if one.session == root or _marked(one.pid, mark, proc)}
    found.add(root)
    grown = True
    while grown:
        children = {one.pid for one in living if one.parent in found} - found
        found |= children
        grown = bool(children)
    return frozenset(one for one in living if one.pid in found)


def _kill(root: int, mark: str, seen: frozenset[_Process], proc: Path) -> None:
    """Kill until nobody is left: a process may start another while we look."""
    for _ in range(_ROUNDS):
        _signal(root, seen, signal.SIGKILL, proc)
        seen = members(root, mark, proc)
        if not seen:
            return


def _alive(root: int, mark: str, proc: Path) -> bool:
    if proc.is_dir():
        return bool(members(root, mark, proc))
    return _group(root, 0)


def _signal(root: int, seen: frozenset[_Process], number: int, proc: Path) -> None:
    if not proc.is_dir():
        _group(root, number)
    for process in seen:
        now = _read(process.pid, proc)
        if now is not None and now.started == process.started:
            _send(process.pid, number)


def _group(root: int, number: int) -> bool:
    try:
        os.killpg(root, number)
    except (ProcessLookupError, PermissionError):
        return False
    return True


def _send(pid: int, number: int) -> None:
    try:
        os.kill(pid, number)
    except (ProcessLookupError, PermissionError):
        return  # gone by itself, or another user's: sudo ends its own child


def _processes(proc: Path) -> Iterator[_Process]:
    if not proc.is_dir():
        return
    for entry in os.scandir(proc):
        if entry.name.isdecimal() and (process := _read(int(entry.name), proc)) is not None:
            yield process


def _read(pid: int, proc: Path) -> _Process | None:
    """Return the process; None when it is gone or only waits for its parent to notice."""
    try:
        stat = (proc / str(pid) / "stat").read_bytes()
    except OSError:
        return None
    # The name comes second, in brackets, and may itself hold brackets and blanks.
    fields = stat.rpartition(b")")[2].split()
    state, parent, _, session = fields[:4]
    if state in {b"Z", b"X"}:
        return None
    return _Process(pid, int(parent), int(session), fields[19].decode())


def _marked(pid: int, mark: str, proc: Path) -> bool:
    try:
        environ = (proc / str(pid) / "environ").read_bytes()
    except OSError:
        return False
    return f"{MARK}={mark}".encode() in environ.split(b"\0")

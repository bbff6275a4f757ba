"""A keeper: the process that starts one program and stays until all of its tree has ended.

It adopts the orphans of the tree, so that nobody in it can get lost by forking twice or by
leaving the session. It ends the tree when told to, when the lifeline breaks before the program
has ended, and when it is dismissed.
"""

import errno
import os
import select
import signal
import socket
import subprocess
from collections.abc import Callable

from agent_cli.processes import _lifeline as said
from agent_cli.processes._adopting import DISMISSED, adopt_orphans, end_with_parent
from agent_cli.processes._lifeline import Request
from agent_cli.processes.tree import MARK, Tree

_IGNORED = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGPIPE)
_LOOK = 0.5
"""Seconds between two looks for the rest of a tree whose orphans we could not adopt."""


def wake_on_signals(dismissed: Callable[[], None]) -> int:
    """Return a descriptor that is readable after a child has ended or we were dismissed.

    Handlers, unlike "ignore", are not inherited by the programs we start.
    """

    def nothing(*_: object) -> None: ...

    def dismiss(*_: object) -> None:
        dismissed()

    read_end, write_end = os.pipe()
    for end in (read_end, write_end):
        os.set_blocking(end, False)
    for number in _IGNORED:
        if number is signal.SIGPIPE or signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, nothing)
    signal.signal(signal.SIGCHLD, nothing)
    signal.signal(DISMISSED, dismiss)
    inherited = signal.set_wakeup_fd(write_end, warn_on_full_buffer=False)
    if inherited >= 0:
        os.close(inherited)
    return read_end


def keep(lifeline: socket.socket, parent: int) -> None:
    """Keep one run, from its request to the end of its last process."""
    adopts = adopt_orphans()
    end_with_parent()
    keeper = _Keeper(lifeline)
    if os.getppid() != parent:  # it ended before we could ask to be told
        return
    request = said.receive(lifeline)
    program = _start(request, lifeline) if request is not None else None
    if request is not None and program is not None:
        keeper.stay(program.pid, b"" if adopts else _mark(request), adopts=adopts)


class _Keeper:
    def __init__(self, lifeline: socket.socket) -> None:
        self._lifeline: socket.socket | None = lifeline
        self._wake = wake_on_signals(self._dismiss)
        self._dismissed = False
        self._program = 0

    def stay(self, program: int, mark: bytes, *, adopts: bool) -> None:
        """Return when no process of the program is left."""
        self._program = program
        tree = Tree(os.getpid(), session=program, mark=mark)
        while self._children_left() or (not adopts and tree.alive()):
            if self._order(None if adopts else _LOOK) or self._dismissed:
                tree.end(self._hurried)
                self._children_left()
                return

    def _dismiss(self) -> None:
        self._dismissed = True

    def _hurried(self, seconds: float) -> bool:
        self._children_left()
        return self._order(seconds) == said.KILL

    def _order(self, timeout: float | None) -> bytes:
        """Wait for something to happen; return what the agent wants, if anything."""
        watched: list[int | socket.socket] = [self._wake]
        if self._lifeline is not None:
            watched.append(self._lifeline)
        ready = select.select(watched, [], [], timeout)[0]
        if self._wake in ready:
            os.read(self._wake, 512)
        if self._lifeline is None or self._lifeline not in ready:
            return b""
        try:
            order = self._lifeline.recv(1)
        except OSError:
            order = b""
        if order:
            return order
        self._lifeline = None
        return said.TERMINATE if self._program else b""

    def _children_left(self) -> bool:
        """Take note of children that have ended; return whether there are more."""
        while True:
            try:
                pid, status = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                return False
            if pid == 0:
                return True
            if pid == self._program:
                self._program = 0
                if self._lifeline is not None:
                    _tell(self._lifeline, said.ENDED, os.waitstatus_to_exitcode(status))


def _mark(request: Request) -> bytes:
    name = os.fsencode(MARK)
    return name + b"=" + request.environ.get(name, b"")


def _start(request: Request, lifeline: socket.socket) -> "subprocess.Popen[bytes] | None":
    """Start the program and say so, or why it could not be started.

    The result must be held on to: a Popen that is dropped collects its program's exit status.
    """
    source, output, errors = request.descriptors
    kind = said.NO_DIRECTORY
    try:
        os.chdir(request.cwd)  # first, so that its failure is told from the program's
        kind = said.NO_PROGRAM
        program = subprocess.Popen(
            request.argv,
            env=request.environ,
            stdin=source,
            stdout=output,
            stderr=errors,
            start_new_session=True,
        )
        os.chdir("/")
    except OSError as error:
        _tell(lifeline, kind, error.errno or errno.EINVAL)
        return None
    for descriptor in request.descriptors:
        os.close(descriptor)
    _tell(lifeline, said.STARTED, program.pid)
    return program


def _tell(lifeline: socket.socket, kind: bytes, number: int) -> None:
    try:
        lifeline.sendall(said.frame(kind, number))
    except OSError:
        return  # the agent is gone, which we hear of in another way

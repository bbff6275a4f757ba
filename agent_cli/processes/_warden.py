"""The warden: one small process per session, started with the first command, parent of keepers.

The agent alone holds the other end of its control socket. When that closes, whatever became of
the agent, the warden dismisses its keepers, ends what is left, and ends. It is a program of its
own, run as `python -I -S`, so that a command starts from a small process and not from a large
one; it imports nothing but the standard library.
"""

import gc
import os
import select
import socket
import time

from agent_cli.processes._adopting import DISMISSED, adopt_orphans, take_name
from agent_cli.processes._keeper import keep, wake_on_signals
from agent_cli.processes.tree import GRACE, Tree

NAME = b"agent-keeper"
_PATIENCE = GRACE + 0.3
"""Seconds that dismissed keepers have."""


def main(control: socket.socket) -> None:
    """Start keepers until the agent is gone, then end everything."""
    os.setsid()
    take_name(NAME)
    adopt_orphans()
    gc.freeze()  # a collection in a keeper would copy the memory that it shares with us
    gc.disable()
    warden = _Warden(control)
    warden.serve()
    warden.dismiss()
    os._exit(0)


class _Warden:
    def __init__(self, control: socket.socket) -> None:
        self._control = control
        self._wake = wake_on_signals(lambda: None)
        self._keepers: set[int] = set()

    def serve(self) -> None:
        """Return when the agent is gone."""
        while True:
            if self._control in self._happened(None):
                message, descriptors, _, _ = socket.recv_fds(self._control, 1, 1)
                if not message:
                    return
                self._start(descriptors[0])

    def dismiss(self) -> None:
        """Have every keeper end its run; then end what no keeper knew."""
        for keeper in self._keepers:
            os.kill(keeper, DISMISSED)
        deadline = time.monotonic() + _PATIENCE
        while self._keepers and (left := deadline - time.monotonic()) > 0:
            self._happened(left)
        Tree(os.getpid()).kill()

    def _happened(self, timeout: float | None) -> list[int | socket.socket]:
        watched: list[int | socket.socket] = [self._wake]
        if timeout is None:
            watched.append(self._control)
        ready = select.select(watched, [], [], timeout)[0]
        if self._wake in ready:
            os.read(self._wake, 512)
            self._reap()
        return ready

    def _reap(self) -> None:
        while True:
            try:
                pid, _ = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                return
            if pid == 0:
                return
            self._keepers.discard(pid)

    def _start(self, descriptor: int) -> None:
        warden = os.getpid()
        keeper = os.fork()
        if keeper == 0:
            try:
                self._control.close()
                os.close(self._wake)
                os.set_inheritable(descriptor, False)  # noqa: FBT003 - its only form
                keep(socket.socket(fileno=descriptor), warden)
            finally:
                os._exit(0)
        os.close(descriptor)
        self._keepers.add(keeper)

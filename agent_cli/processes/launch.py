"""Has programs started, each by a keeper of its own. The only module that starts a process.

The agent starts one program itself, the warden, with the first command. The warden holds a
socket whose other end only we have, and a keeper likewise: whatever becomes of us, kill -9
included, they notice, and end every tree.
"""

import asyncio
import os
import socket
import subprocess
import sys
import weakref
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack, suppress
from pathlib import Path

from agent_cli.processes import _lifeline as said
from agent_cli.processes._lifeline import Request
from agent_cli.processes.tree import GRACE, MARK, Tree

_WARDEN = """
import socket, sys
sys.path.append(sys.argv[1])
from agent_cli.processes._warden import main
main(socket.socket(fileno=int(sys.argv[2])))
"""
_PACKAGES = Path(__file__).parents[2]
_LOST = GRACE + 0.6
"""Seconds after which a keeper or the warden that was told to end is taken for lost."""
_KILLED = -9
_NOBODY = -1


class Launcher:
    """The warden of one session, and the way to it."""

    def __init__(self, environ: Mapping[str, str]) -> None:
        """Give the warden `environ`, which must hold nothing secret."""
        self._environ = environ
        self._control: socket.socket | None = None
        self._ended: Callable[[], object] | None = None

    def launch(
        self,
        argv: Sequence[str],
        environ: Mapping[str, str],
        cwd: Path,
        descriptors: list[int],
    ) -> "Kept":
        """Ask for a program to be started, with these for standard input, output and error.

        Whoever calls must await `started`, then `ended` or `end`. Raises OSError, ValueError.
        """
        mark = os.urandom(8).hex()
        request = Request(
            [os.fsencode(word) for word in argv],
            os.fsencode(cwd),
            {
                os.fsencode(name): os.fsencode(value)
                for name, value in {**environ, MARK: mark}.items()
            },
        )
        body = request.pack()
        ours, theirs = socket.socketpair()
        with ExitStack() as unless_done, theirs:
            unless_done.callback(ours.close)
            said.send_head(ours, body, descriptors)
            self._hand_over(theirs)
            unless_done.pop_all()
        ours.settimeout(0)
        return Kept(ours, body, argv[0], cwd, mark)

    async def close(self) -> None:
        """End everything that was ever started and is left."""
        if self._control is None or self._ended is None:
            return
        self._control.settimeout(0)
        self._control.shutdown(socket.SHUT_WR)
        loop = asyncio.get_running_loop()
        reading = asyncio.ensure_future(loop.sock_recv(self._control, 1))
        await asyncio.wait({reading}, timeout=_LOST)
        reading.cancel()
        self._ended()
        self._control = None

    def _hand_over(self, lifeline: socket.socket) -> None:
        for _ in range(2):
            if self._control is None:
                self._start_warden()
            assert self._control is not None
            try:
                socket.send_fds(self._control, [b"r"], [lifeline.fileno()])
            except OSError:  # somebody has killed the warden
                self._control = None
            else:
                return
        raise ChildProcessError("the process that starts commands does not live")

    def _start_warden(self) -> None:
        if self._ended is not None:
            self._ended()
        ours, theirs = socket.socketpair()
        with ExitStack() as unless_done, theirs:
            unless_done.callback(ours.close)
            warden = subprocess.Popen(
                [sys.executable, "-I", "-S", "-c", _WARDEN, _PACKAGES, str(theirs.fileno())],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                cwd="/",
                env=self._environ,
                pass_fds=[theirs.fileno()],
            )
            unless_done.pop_all()
        self._control = ours
        self._ended = weakref.finalize(self, _end_warden, ours, warden)


def _end_warden(control: socket.socket, warden: "subprocess.Popen[bytes]") -> None:
    control.close()
    try:
        warden.wait(_LOST)
    except subprocess.TimeoutExpired:
        warden.kill()
        warden.wait()


class Kept:
    """A program in the care of its keeper."""

    def __init__(
        self, lifeline: socket.socket, body: bytes, program: str, cwd: Path, mark: str
    ) -> None:
        self.pid = 0
        """The program's process id, which is its session's as well; 0 before it was started."""
        self.exit_code: int | None = None
        """Negative for a signal; None while it runs."""
        self._lifeline = lifeline
        self._body = body
        self._names = {said.NO_PROGRAM: program, said.NO_DIRECTORY: str(cwd)}
        self._mark = f"{MARK}={mark}".encode()

    async def started(self) -> None:
        """Wait until the program runs. Raises OSError if it cannot."""
        with suppress(BrokenPipeError, ConnectionResetError):  # the missing answer will say it
            await asyncio.get_running_loop().sock_sendall(self._lifeline, self._body)
        kind, number = await self._frame()
        if kind in self._names:
            raise OSError(number, os.strerror(number), self._names[kind])
        if kind != said.STARTED:
            raise ChildProcessError("the process that starts the command was killed")
        self.pid = number

    async def ended(self) -> None:
        """Wait until the program has ended by itself; what it left running goes on."""
        kind, number = await self._frame()
        if kind == said.ENDED:
            self.exit_code = number
        else:
            self._bury()

    async def end(self) -> None:
        """End the whole tree: politely; at once if this is cancelled while it waits."""
        ending = asyncio.ensure_future(self._over())
        try:
            self._order(said.TERMINATE)
            await asyncio.wait({ending}, timeout=_LOST)
        except asyncio.CancelledError:
            self._order(said.KILL)
            await asyncio.wait({ending}, timeout=_LOST)
            raise
        finally:
            if not ending.done():
                ending.cancel()
                self._bury()

    def close(self) -> None:
        """Let go of the keeper: it ends the tree, unless the program has ended before."""
        self._lifeline.close()

    async def _over(self) -> None:
        while True:
            kind, number = await self._frame()
            if kind == said.STARTED:
                self.pid = number
            elif kind == said.ENDED:
                self.exit_code = number
            elif not kind:
                break
        if self.pid and self.exit_code is None:
            self._bury()

    def _bury(self) -> None:
        """Do what a keeper that was itself killed can do no more."""
        self.exit_code = _KILLED
        Tree(_NOBODY, session=self.pid, mark=self._mark).kill()

    def _order(self, order: bytes) -> None:
        try:
            self._lifeline.send(order)
        except OSError:
            return  # it has ended

    async def _frame(self) -> tuple[bytes, int]:
        """Return the next frame; an empty kind when the keeper is gone."""
        data = b""
        while len(data) < said.FRAME:
            try:
                more = await asyncio.get_running_loop().sock_recv(
                    self._lifeline, said.FRAME - len(data)
                )
            except ConnectionResetError:
                more = b""
            if not more:
                return b"", 0
            data += more
        return said.unframe(data)

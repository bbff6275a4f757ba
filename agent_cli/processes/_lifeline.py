"""What the agent and a keeper say to each other over the run's own socket, its lifeline.

The agent sends one request, then at most orders of one byte. The keeper answers with frames: the
program was started, or why not; it has ended. If the agent's end closes before that, the keeper
ends the run; so a killed agent is told from a finished one by nothing that it would have to do.
"""

import os
import socket

TERMINATE, KILL = b"t", b"k"
"""Orders: end the run, politely or at once."""
STARTED, NO_DIRECTORY, NO_PROGRAM, ENDED = b"s", b"d", b"p", b"e"
"""Frames: a process id, two error numbers, an exit code (negative for a signal)."""
FRAME = 5
"""Bytes of a frame: its kind and a number."""
_DESCRIPTORS = 3
_LENGTH = 4


class Request:
    """What is to be run, and its standard input, output and error."""

    def __init__(self, argv: list[bytes], cwd: bytes, environ: dict[bytes, bytes]) -> None:
        self.argv = argv
        self.cwd = cwd
        self.environ = environ
        self.descriptors: list[int] = []

    def pack(self) -> bytes:
        """Return the bytes to send; raises ValueError for what no program can be given."""
        pairs = [b"%s=%s" % pair for pair in self.environ.items()]
        fields = [self.cwd, b"%d" % len(self.argv), *self.argv, *pairs]
        if not self.argv or any(b"\0" in field for field in fields):
            raise ValueError("there is no program to start, or a NUL character in its arguments")
        return b"\0".join(fields)


def send_head(lifeline: socket.socket, body: bytes, descriptors: list[int]) -> None:
    """Send what comes before the request's body; it is small enough never to block."""
    socket.send_fds(lifeline, [len(body).to_bytes(_LENGTH)], descriptors)


def receive(lifeline: socket.socket) -> Request | None:
    """Wait for the request; None when the agent thought better of it."""
    head, descriptors, _, _ = socket.recv_fds(lifeline, _LENGTH, _DESCRIPTORS)
    for descriptor in descriptors:
        os.set_inheritable(descriptor, False)  # noqa: FBT003 - its only form
    length = int.from_bytes(head)
    body = bytearray()
    while len(body) < length:
        more = lifeline.recv(length - len(body))
        if not more:
            break
        body += more
    if not head or len(body) < length:
        return None
    cwd, count, *fields = bytes(body).split(b"\0")
    pairs = (pair.partition(b"=") for pair in fields[int(count) :])
    request = Request(fields[: int(count)], cwd, {name: value for name, _, value in pairs})
    request.descriptors = list(descriptors)
    return request


def frame(kind: bytes, number: int) -> bytes:
    return kind + number.to_bytes(FRAME - 1, signed=True)


def unframe(data: bytes) -> tuple[bytes, int]:
    return data[:1], int.from_bytes(data[1:], signed=True)

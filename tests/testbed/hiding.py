"""Processes that hide from whoever started them, and how to find and await them."""

import os
import select
import sys
import time
from contextlib import suppress
from pathlib import Path

HIDES = """
import os, signal, sys, time

def become(*, forget):
    if forget:  # a new program, with nothing in its environment
        os.execve(sys.executable, [sys.executable, __file__, "stay"], {})
    open(f"up-{os.getpid()}", "w").close()
    time.sleep(600)

def daemon(*, forget):
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            become(forget=forget)
        os._exit(0)
    os.wait()

if "stay" in sys.argv:
    become(forget=False)
for way in sys.argv[1:]:
    if way == "daemon":
        daemon(forget=False)
    elif way == "forgetful":
        daemon(forget=True)
    elif way == "session" and os.fork() == 0:
        os.setsid()
        become(forget=False)
    elif way == "stubborn" and os.fork() == 0:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        become(forget=False)
"""
"""Takes the ways to hide as arguments; each leaves one process, and a file `up-<its id>`."""
WAYS = ("daemon", "forgetful", "session", "stubborn")


def write(folder: Path) -> str:
    """Write the program; return a command that leaves one process for each way."""
    (folder / "hides.py").write_text(HIDES)
    return f"{sys.executable} {folder}/hides.py {' '.join(WAYS)}"


class Hidden:
    """The processes of one folder's program."""

    def __init__(self, folder: Path) -> None:
        self._program = os.fsencode(folder / "hides.py")
        self._folder = folder

    def wait_until_up(self) -> None:
        """Return when there is one for each way."""
        deadline = time.monotonic() + 30
        while len(list(self._folder.glob("up-*"))) < len(WAYS):
            assert time.monotonic() < deadline, f"only {self.processes()} hide"

    def processes(self) -> list[int]:
        """The ids of those that live."""
        found = []
        for entry in Path("/proc").iterdir():
            with suppress(OSError):  # gone meanwhile
                words = (entry / "cmdline").read_bytes().split(b"\0")
                if entry.name.isdecimal() and self._program in words:
                    found.append(int(entry.name))
        return found

    def end_within(self, seconds: float) -> bool:
        """Wait until none lives."""
        deadline = time.monotonic() + seconds
        while (left := deadline - time.monotonic()) > 0 and (living := self.processes()):
            with suppress(ProcessLookupError):
                watched = os.pidfd_open(living[0])
                select.select([watched], [], [], left)
                os.close(watched)
        return not self.processes()

"""A terminal for standard input and standard error alone; standard output is a pipe."""

import os
import pty
import subprocess
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import Self

from testbed.run_agent import command, environment


class OwnTerminal:
    """The product, spoken to on a terminal while its output goes elsewhere."""

    def __init__(self, args: Sequence[str], *, cwd: Path, home: Path) -> None:
        self._ours, theirs = pty.openpty()
        self.shown = ""
        self._child = subprocess.Popen(
            command(args),
            cwd=cwd,
            env=environment(home, None),
            stdin=theirs,
            stdout=subprocess.PIPE,
            stderr=theirs,
            start_new_session=True,
        )
        os.close(theirs)

    def expect(self, text: str) -> None:
        while text not in self.shown:
            piece = self._read()
            assert piece, f"{text!r} did not come: {self.shown!r}"
            self.shown += piece

    def send(self, text: str) -> None:
        os.write(self._ours, text.encode())

    def finish(self) -> tuple[int, str]:
        """Wait for the end; return the exit status and the standard output."""
        while piece := self._read():
            self.shown += piece
        output, _ = self._child.communicate(timeout=30)
        return self._child.returncode, output.decode()

    def _read(self) -> str:
        try:
            return os.read(self._ours, 4096).decode()
        except OSError:  # nobody has the other end open any more
            return ""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._child.kill()
        self._child.communicate()
        os.close(self._ours)

"""What a person sees: the product at a terminal that draws, with what has scrolled out of it."""

import re
import time
from collections.abc import Mapping, Sequence
from importlib import import_module
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from testbed.run_agent import start_agent
from testbed.server import ModelServer

SECONDS = 30
PIECE = 65_536
ENTER, ESCAPE, CTRL_C, UP = "\r", "\x1b", "\x03", "\x1b[A"


class Screen:
    """A terminal of so many columns, and the product at it; a context manager."""

    def __init__(  # noqa: PLR0913 - each is one thing that terminals differ in
        self,
        args: Sequence[str],
        *,
        cwd: Path,
        home: Path,
        server: ModelServer | None = None,
        columns: int = 80,
        env: Mapping[str, str] | None = None,
        inside: Sequence[str] = (),
    ) -> None:
        pyte: Any = import_module("pyte")  # only terminal tests need it, and it has no types
        self.terminal = start_agent(args, cwd=cwd, home=home, server=server, env=env, inside=inside)
        self.terminal.delaybeforesend = None
        self._screen = pyte.HistoryScreen(columns, 24, history=20_000, ratio=0.5)
        self._screen.write_process_input = self.send  # it says where its cursor is
        self._stream = pyte.Stream(self._screen)
        self.raw = ""
        """Everything that was written, as it was."""
        self.resize(columns)

    def resize(self, columns: int, rows: int = 24) -> None:
        self.terminal.setwinsize(rows, columns)
        self._screen.resize(rows, columns)

    def send(self, text: str) -> None:
        self.terminal.send(text)

    def say(self, text: str) -> None:
        self.terminal.send(text + ENTER)

    @property
    def rows(self) -> list[str]:
        """What stands on the screen now."""
        return [row.rstrip() for row in self._screen.display]

    @property
    def scrolled(self) -> list[str]:
        """What has scrolled out of it."""
        past = self._screen.history.top
        width = self._screen.columns
        return ["".join(line[x].data for x in range(width)).rstrip() for line in past]

    @property
    def text(self) -> str:
        """All of it, from the beginning."""
        return "\n".join([*self.scrolled, *self.rows]).rstrip()

    def wait_for(self, pattern: str, seconds: float = SECONDS, *, gone: str = "") -> re.Match[str]:
        """Wait until the screen shows the one, and not the other; return where it does."""
        deadline = time.monotonic() + seconds
        while True:
            shown = "\n".join(self.rows)
            found = re.search(pattern, shown)
            if found and not (gone and re.search(gone, shown)):
                return found
            left = deadline - time.monotonic()
            assert left > 0, f"{pattern!r} did not come in {seconds} s:\n{shown}"
            self.read(min(left, 1.0))

    def read(self, seconds: float) -> bool:
        """Take what is written now, or in so many seconds; return whether there was anything."""
        pexpect: Any = import_module("pexpect")
        try:
            piece = self.terminal.read_nonblocking(PIECE, seconds)
        except (pexpect.TIMEOUT, pexpect.EOF):
            return False
        self.raw += piece
        self._stream.feed(piece)
        return True

    def leave(self) -> None:
        """Leave at the prompt, as people do."""
        self.wait_for(r"^> *$|\n> *$|\n> *\n")
        self.terminal.sendeof()
        while self.terminal.isalive() and self.read(1.0):
            pass
        self.terminal.wait()
        assert self.terminal.exitstatus == 0, self.text

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.terminal.close(force=True)

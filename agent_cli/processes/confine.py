"""Puts programs behind the best wall that works on this host; found out with the first of them."""

import errno
import os
import shutil
import tempfile
from collections.abc import Awaitable, Callable, Mapping, Sequence
from pathlib import Path

from agent_cli.processes.sandbox import Confinement, Wall, candidates, confined

Try = Callable[[Sequence[str]], Awaitable[bool]]
"""Runs a program; whether it ended well."""

_TRUE = ("/bin/sh", "-c", ":")


class Confiner:
    """Where programs of one session are confined. `close` removes their temporary directory."""

    def __init__(self, environ: Mapping[str, str], confinement: Callable[[], Confinement]) -> None:
        """Ask `confinement` anew for every program."""
        self._environ = environ
        self._confinement = confinement
        self._found: tuple[Wall, str] | None = None
        self._temporary = ""

    @property
    def wall(self) -> Wall | None:
        """None when no wall works, or before `find`."""
        return self._found[0] if self._found else None

    def limits(self) -> str:
        """Say what a confined program can do, for who wonders why it could not do more."""
        now = self._now()
        writable = ", ".join(now.writable)
        kept = f", except {', '.join(now.kept)}" if now.kept else ""
        network = "reached" if now.network else "not reached"
        return f"only {writable} can be changed{kept}; the network is {network}"

    @property
    def environ(self) -> dict[str, str]:
        """What is different in the environment: temporary files have a writable place."""
        return {"TMPDIR": self._temporary}

    async def find(self, works: Try) -> None:
        """Find the best wall that works. Raises OSError if there is none: nothing may run then."""
        if self._found is not None:
            return
        self._temporary = self._temporary or tempfile.mkdtemp(prefix="agent-")
        for wall, program in candidates(self._environ):
            if await works(confined(_TRUE, self._now(), wall, program)):
                self._found = (wall, program)
                return
        raise OSError(
            "no sandbox works on this host, and the settings or the mode demand one: install "
            "bubblewrap, use --sandbox off, or take another mode"
        )

    def argv(self, argv: Sequence[str], cwd: Path) -> tuple[str, ...]:
        """Return what to run instead. Raises FileNotFoundError for a program that is not there.

        Behind the wall it is too late: a wall says so in its own words, and ends with status 1.
        """
        assert self._found is not None  # whoever runs something has called `find`
        if not _is_there(argv[0], cwd, self._environ):
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), argv[0])
        wall, program = self._found
        return confined(argv, self._now(), wall, program)

    def close(self) -> None:
        if self._temporary:
            shutil.rmtree(self._temporary, ignore_errors=True)
            self._temporary = ""

    def _now(self) -> Confinement:
        asked = self._confinement()
        return Confinement((*asked.writable, self._temporary), asked.kept, asked.network)


def _is_there(program: str, cwd: Path, environ: Mapping[str, str]) -> bool:
    """Whether it could be started from `cwd`, where a relative directory of PATH begins too."""
    places = environ.get("PATH", os.defpath).split(os.pathsep)
    paths = (cwd / place / program for place in ([""] if "/" in program else places))
    return any(path.is_file() and os.access(path, os.X_OK) for path in paths)

"""Runs a program or a shell command, to its end or in the background.

Every program gets a session of its own, so that Ctrl-C in our terminal does not reach it, and a
keeper, who ends its tree as one; a clean environment; an empty standard input; and one pipe for
both outputs, which is read to the end whatever becomes of the text. What a command leaves
running goes on when the command has ended, and ends with `close`, or with us.
"""

import os
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from copy import copy
from pathlib import Path
from typing import TYPE_CHECKING, Self

from agent_cli.processes import environment
from agent_cli.processes._output import Output
from agent_cli.processes._pipe import Pipe
from agent_cli.processes._run import Finished, Run
from agent_cli.processes._spill import Spills
from agent_cli.processes._walls import Walls
from agent_cli.processes.background import Background, Glimpse
from agent_cli.processes.launch import Launcher
from agent_cli.processes.sandbox import Confinement, Wall
from agent_cli.types.redaction import Redactor

_PATIENCE = 20.0
"""Seconds that a wall has to show that it works."""

if TYPE_CHECKING:
    from agent_cli.processes.confine import Confiner

__all__ = ["Finished", "Glimpse", "Processes"]


class Processes:
    """Starts programs with what the session's own environment allows.

    Whoever makes one closes it: `async with`, or `close`.
    """

    def __init__(
        self,
        environ: Mapping[str, str],
        spill: Path | None = None,
        *,
        temporary: bool = False,
        confinement: Callable[[], Confinement] | None = None,
        redactor: Redactor | None = None,
    ) -> None:
        """Keep long outputs in the folder `spill`, if there is one; a temporary one is removed.

        Programs are confined where there is a `confinement`; it is asked anew for each. What they
        print is stripped of secrets.
        """
        self.environ: Mapping[str, str] = environment.clean(environ)
        """What programs get to see."""
        self._shell = environment.shell(environ)
        self.launcher = Launcher(self.environ)
        """Starts what `dialogue.py` talks with."""
        self._spills = Spills(spill, temporary=temporary) if spill is not None else None
        self.background = Background()
        """What `start` has started, to be looked after."""
        self._redactor = redactor or Redactor()
        self._walls = Walls(self.environ, confinement)
        self._confiner = self._walls.usual

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def close(self) -> None:
        """End everything that still runs; it could be used again."""
        await self.background.close()
        await self.launcher.close()
        if self._spills is not None:
            self._spills.close()
        self._walls.close()

    async def ready(self) -> None:
        """Find out what confines programs, if anything shall. Raises OSError if nothing can."""
        if self._confiner is not None:
            await self._confiner.find(self._works)

    @property
    def wall(self) -> Wall | None:
        """What programs are confined by, once that has been found out."""
        return self._confiner.wall if self._confiner is not None else None

    @property
    def limits(self) -> str:
        """What confined programs can do at most; empty where nothing confines them."""
        return self._confiner.limits() if self._confiner is not None else ""

    def adding(self, environ: Mapping[str, str]) -> "Processes":
        """Return one whose programs get these variables too; to be closed through this one."""
        other = copy(self)
        other.environ = {**self.environ, **environ}
        return other

    def reading(self) -> "Processes":
        """Return one whose programs can change nothing; to be closed through this one."""
        other = self.adding({})
        vars(other)["_confiner"] = self._walls.reader()
        return other

    def finds(self, program: str) -> bool:
        """Whether there is a program of this name for those who are started here."""
        places = self.environ.get("PATH", os.defpath).split(os.pathsep)
        return any(os.access(os.path.join(place, program), os.X_OK) for place in places)  # noqa: PTH118 - names may hold any byte

    def forgetting(self) -> "Processes":
        """Return one that confines nothing and keeps no output; to be closed through this one."""
        other = Processes({}, redactor=self._redactor)
        other.environ, other._shell, other.launcher = self.environ, self._shell, self.launcher
        return other

    async def run(
        self,
        command: str | Sequence[str],
        *,
        cwd: Path,
        timeout: float | None = None,  # noqa: ASYNC109 - the result says so, with the output so far
        on_output: Callable[[str], None] | None = None,
        stdin: bytes = b"",
    ) -> Finished:
        """Run a shell command (str) or a program with its arguments (sequence).

        `on_output` gets the text as it comes, and must neither block nor raise. When the time
        is over, or this is cancelled, the whole process tree is ended first. Raises OSError or
        ValueError when the program cannot be started.
        """
        await self.ready()
        started = self._launch(command, cwd, on_output=on_output, stdin=stdin)
        return await started.finish(timeout)

    async def start(
        self,
        command: str | Sequence[str],
        *,
        cwd: Path,
        timeout: float | None = None,  # noqa: ASYNC109 - as in run
        stdin: bytes = b"",
    ) -> str:
        """Start it in the background and return its id, by which `background` knows it.

        It ends with the session at the latest. Raises OSError or ValueError.
        """
        self.background.require_room()
        await self.ready()
        return await self.background.add(
            self._launch(command, cwd, spill_all=True, stdin=stdin), _shown(command), timeout
        )

    def _launch(
        self,
        command: str | Sequence[str],
        cwd: Path,
        *,
        on_output: Callable[[str], None] | None = None,
        stdin: bytes = b"",
        spill_all: bool = False,
    ) -> Run:
        spill = self._spills.file() if self._spills is not None else None
        output = Output(spill, spill_all=spill_all, redactor=self._redactor)
        pipe = Pipe(output, on_output)
        try:
            with _input(stdin) as source:
                descriptors = [source, pipe.write_end, pipe.write_end]
                argv = _argv(self._shell, command)
                behind = _behind(self._confiner, argv, cwd, self.environ)
                kept = self.launcher.launch(*behind, cwd, descriptors)
        except BaseException:
            pipe.close()
            raise
        pipe.started()
        return Run(kept, pipe, spill)

    async def _works(self, argv: Sequence[str]) -> bool:
        return (await self.forgetting().run(argv, cwd=Path("/"), timeout=_PATIENCE)).exit_code == 0


def _argv(shell: str, command: str | Sequence[str]) -> Sequence[str]:
    if not isinstance(command, str):
        return command
    # A shell takes a command that begins with a sign for one more option.
    return (shell, "-c", f" {command}" if command.startswith(("-", "+")) else command)


def _behind(
    confiner: "Confiner | None", argv: Sequence[str], cwd: Path, environ: Mapping[str, str]
) -> tuple[Sequence[str], Mapping[str, str]]:
    """Return what to run, behind the wall if there is one, and its environment."""
    if confiner is None:
        return argv, environ
    return confiner.argv(argv, cwd), {**environ, **confiner.environ}


@contextmanager
def _input(data: bytes) -> Generator[int, None, None]:
    """Give a file with the data: unlike a pipe it needs nobody to write into it."""
    if not data:
        with open(os.devnull, "rb") as nothing:  # noqa: PTH123 - no path of ours
            yield nothing.fileno()
        return
    import tempfile  # noqa: PLC0415 - 6 ms, and hardly any program gets input

    with tempfile.TemporaryFile() as source:
        source.write(data)
        source.seek(0)
        yield source.fileno()


def _shown(command: str | Sequence[str]) -> str:
    return command if isinstance(command, str) else " ".join(command)

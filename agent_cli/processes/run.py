"""Runs a program or a shell command, to its end or in the background.

Every program gets a session of its own, so that Ctrl-C in our terminal does not reach it, and a
keeper, who ends its tree as one; a clean environment; an empty standard input; and one pipe for
both outputs, which is read to the end whatever becomes of the text. What a command leaves
running goes on when the command has ended, and ends with `close`, or with us.
"""

import os
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Self

from agent_cli.processes import environment
from agent_cli.processes._output import Output
from agent_cli.processes._pipe import Pipe
from agent_cli.processes._run import Finished, Run
from agent_cli.processes._spill import Spills
from agent_cli.processes.background import Background, Glimpse
from agent_cli.processes.launch import Launcher

__all__ = ["Finished", "Glimpse", "Processes"]


class Processes:
    """Starts programs with what the session's own environment allows.

    Whoever makes one closes it: `async with`, or `close`.
    """

    def __init__(
        self, environ: Mapping[str, str], spill: Path | None = None, *, temporary: bool = False
    ) -> None:
        """Keep long outputs in the folder `spill`, if there is one; a temporary one is removed."""
        self._environ = environment.clean(environ)
        self._shell = environment.shell(environ)
        self._launcher = Launcher(self._environ)
        self._spills = Spills(spill, temporary=temporary) if spill is not None else None
        self._background = Background()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def close(self) -> None:
        """End everything that still runs; it could be used again."""
        await self._background.close()
        await self._launcher.close()
        if self._spills is not None:
            self._spills.close()

    def forgetting(self) -> "Processes":
        """Return one whose output is kept in no file; to be closed through this one."""
        other = Processes({})
        other._environ, other._shell, other._launcher = self._environ, self._shell, self._launcher
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
        started = self._launch(command, cwd, on_output=on_output, stdin=stdin)
        return await started.finish(timeout)

    async def start(
        self,
        command: str | Sequence[str],
        *,
        cwd: Path,
        timeout: float | None = None,  # noqa: ASYNC109 - as in run
    ) -> str:
        """Start it in the background and return its id for `poll` and `stop`.

        It ends with the session at the latest. Raises OSError or ValueError.
        """
        self._background.require_room()
        return await self._background.add(
            self._launch(command, cwd, spill_all=True), _shown(command), timeout
        )

    async def poll(self, process_id: str, *, wait: float = 0.0) -> Glimpse:
        """Return what became of it since last time, after at most `wait` seconds.

        It waits for the end, not for output. Raises KeyError for an id that never was.
        """
        return await self._background.poll(process_id, wait)

    async def stop(self, process_id: str) -> Glimpse:
        """End its whole tree. Raises KeyError for an id that never was."""
        return await self._background.stop(process_id)

    def list(self) -> dict[str, str]:
        """Return the commands that run in the background, by their ids."""
        return self._background.running()

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
        pipe = Pipe(Output(spill, spill_all=spill_all), on_output)
        try:
            with _input(stdin) as source:
                descriptors = [source, pipe.write_end, pipe.write_end]
                kept = self._launcher.launch(self._argv(command), cwd, self._environ, descriptors)
        except BaseException:
            pipe.close()
            raise
        pipe.started()
        return Run(kept, pipe, spill)

    def _argv(self, command: str | Sequence[str]) -> Sequence[str]:
        if not isinstance(command, str):
            return command
        # A shell takes a command that begins with a sign for one more option.
        return (self._shell, "-c", f" {command}" if command.startswith(("-", "+")) else command)


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

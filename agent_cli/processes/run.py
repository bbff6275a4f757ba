"""Runs a program or a shell command to its end. The only place that starts one.

Every program gets a session of its own, so that Ctrl-C in our terminal does not reach it and
its tree can be ended as one; a clean environment; an empty standard input; and one pipe for
both outputs, which is read to the end whatever becomes of the text.
"""

import asyncio
import os
from asyncio.subprocess import DEVNULL, Process
from collections.abc import Callable, Coroutine, Generator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from msgspec import Struct

from agent_cli.processes import environment, tree
from agent_cli.processes._output import Output
from agent_cli.processes._pipe import Pipe
from agent_cli.processes._spill import Spill

_LINGER = 0.25
"""Seconds we wait for the end of the output once the program has ended: a background process
that keeps the pipe open must not keep us."""


class Finished(Struct, frozen=True):
    """What became of a program."""

    exit_code: int | None
    """None when a signal ended it, or we did."""
    signal: int | None
    output: str
    """Standard output and error, as they came, at most `_output.LIMIT` characters."""
    timed_out: bool = False
    spilled: str | None = None
    """The file that holds the output, when there was too much of it."""


class Processes:
    """Starts programs with what the session's own environment allows."""

    def __init__(self, environ: Mapping[str, str], spill: Path | None = None) -> None:
        """Keep the output of long runs in the folder `spill`, if there is one."""
        self._environ = environment.clean(environ)
        self._shell = environment.shell(environ)
        self._spill = spill

    def forgetting(self) -> "Processes":
        """Return one whose output is kept in no file: it is not all meant to be read."""
        return Processes(self._environ)

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
        spill = Spill(self._spill) if self._spill is not None else None
        output = Output(spill)
        pipe = Pipe(output, on_output)
        mark = os.urandom(8).hex()
        try:
            starting = _start(
                self._argv(command), cwd, self._environ | {environment.MARK: mark}, pipe, stdin
            )
            code, timed_out = await _finish(starting, mark, timeout)
            await pipe.drained(_LINGER)
        finally:
            pipe.close()
            if spill is not None:
                spill.close()
        return Finished(
            exit_code=code if code >= 0 and not timed_out else None,
            signal=-code if code < 0 else None,
            output=output.text,
            timed_out=timed_out,
            spilled=spill.path if spill is not None else None,
        )

    def _argv(self, command: str | Sequence[str]) -> Sequence[str]:
        if not isinstance(command, str):
            return command
        # A shell takes a command that begins with a sign for one more option.
        return (self._shell, "-c", f" {command}" if command.startswith(("-", "+")) else command)


async def _start(
    argv: Sequence[str], cwd: Path, environ: Mapping[str, str], pipe: Pipe, stdin: bytes
) -> Process:
    with _input(stdin) as source:
        process = await asyncio.create_subprocess_exec(
            *argv,
            cwd=cwd,
            env=environ,
            stdin=source,
            stdout=pipe.write_end,
            stderr=pipe.write_end,
            start_new_session=True,
        )
    pipe.started()
    return process


@contextmanager
def _input(data: bytes) -> Generator[IO[bytes] | int, None, None]:
    """Give a file with the data: unlike a pipe it needs nobody to write into it."""
    if not data:
        yield DEVNULL
        return
    import tempfile  # noqa: PLC0415 - 6 ms, and hardly any program gets input

    with tempfile.TemporaryFile() as source:
        source.write(data)
        source.seek(0)
        yield source


async def _finish(
    starting: Coroutine[None, None, Process],
    mark: str,
    timeout: float | None,  # noqa: ASYNC109 - as in run()
) -> tuple[int, bool]:
    """Wait for the program, end its tree if that takes too long or nobody waits any more.

    Starting is a task of its own: a program that was started while we were cancelled must be
    known to us, to be ended.
    """
    started = asyncio.ensure_future(starting)
    timed_out = False
    try:
        async with asyncio.timeout(timeout):
            await (await asyncio.shield(started)).wait()
    except TimeoutError:
        timed_out = True
    finally:
        await asyncio.wait({started})
        if started.exception() is None:
            await _end(started.result(), mark)
    return started.result().returncode or 0, timed_out


async def _end(process: Process, mark: str) -> None:
    if process.returncode is not None:
        return
    await tree.end(process.pid, mark)
    reaped = asyncio.ensure_future(process.wait())
    await asyncio.wait({reaped}, timeout=_LINGER)  # not even SIGKILL ends a hanging system call
    reaped.cancel()

"""Programs that go on while the agent does other things, and are looked after from time to time."""

import asyncio
import time

from msgspec import Struct

from agent_cli.processes._run import Finished, Run

MOST = 20
"""Programs at a time; more are forgotten ones."""


class Glimpse(Struct, frozen=True):
    """What became of a program since the last look at it."""

    command: str
    seconds: float
    """Since its start; to its end, once it has ended."""
    output: str
    """What is new, at most `_output.LIMIT` characters."""
    spilled: str | None
    """The file that holds all of the output, if there is a folder for such files."""
    finished: Finished | None
    """None while it runs; its `output` is not repeated here."""


class Standing(Struct, frozen=True):
    """A program that runs, or whose end nobody has seen yet."""

    process_id: str
    command: str
    running: bool


class _Entry:
    def __init__(self, command: str, run: Run, task: "asyncio.Task[Finished]") -> None:
        self.command = command
        self.run = run
        self.task = task
        self.began = time.monotonic()
        self.seconds: float | None = None
        self.end_seen = False
        task.add_done_callback(self._note)

    def _note(self, _: object) -> None:
        self.seconds = time.monotonic() - self.began


class Background:
    """The programs of one session that were started in the background, by their ids."""

    def __init__(self) -> None:
        self._entries: dict[str, _Entry] = {}

    def require_room(self) -> None:
        """Raise OSError when too many run."""
        if len(self.running()) >= MOST:
            raise ChildProcessError(f"{MOST} commands run in the background already: stop one")

    async def add(self, run: Run, command: str, timeout: float | None) -> str:  # noqa: ASYNC109 - as in Run
        """Wait until it has started; return its id, which is its process id."""
        await run.started()
        process_id = str(run.pid)
        self._entries[process_id] = _Entry(command, run, asyncio.create_task(run.finish(timeout)))
        await asyncio.sleep(0)  # a task that is cancelled before its first step cleans nothing up
        return process_id

    def running(self) -> dict[str, str]:
        """Return the commands of those that run, by their ids."""
        entries = self._entries.items()
        return {name: entry.command for name, entry in entries if not entry.task.done()}

    def standing(self) -> tuple[Standing, ...]:
        """Return those that still concern somebody, in the order of their starts."""
        return tuple(
            Standing(name, entry.command, running=not entry.task.done())
            for name, entry in self._entries.items()
            if not entry.end_seen
        )

    async def poll(self, process_id: str, *, wait: float = 0.0) -> Glimpse:
        """Return what became of it since last time, after at most `wait` seconds.

        It waits for the end, not for output. KeyError for an id that never was.
        """
        entry = self._entries[process_id]
        await asyncio.wait({entry.task}, timeout=wait)
        seconds = entry.seconds
        entry.end_seen = entry.task.done()
        return Glimpse(
            command=entry.command,
            seconds=seconds if seconds is not None else time.monotonic() - entry.began,
            output=entry.run.take_output(),
            spilled=entry.run.spilled,
            finished=entry.task.result() if entry.task.done() else None,
        )

    async def stop(self, process_id: str) -> Glimpse:
        """End its whole tree; KeyError for an id that never was."""
        entry = self._entries[process_id]
        if not entry.task.done():
            entry.run.stop()
            await asyncio.wait({entry.task})
        return await self.poll(process_id)

    async def close(self) -> None:
        """End all of them, and forget them."""
        tasks = [entry.task for entry in self._entries.values()]
        for task in tasks:
            task.cancel()
        if tasks:
            await asyncio.wait(tasks)
        self._entries.clear()

"""Keeps what calls are about to change, and records what they have changed.

What a tool says that it writes is kept before it runs. A command, or a server's tool, may change
anything: the workspace is looked through before and after it, unless the command is known to read
only. See `undo/baseline.py` for what is not seen that way.
"""

import asyncio
from collections.abc import Callable

from agent_cli.i18n.catalog import say, say_many
from agent_cli.runtime.keeper import Keeper
from agent_cli.runtime.prepare import Prepared
from agent_cli.runtime.session import Session
from agent_cli.types.effects import Effect, Kind
from agent_cli.types.entries import FilesChanged, FilesRestored
from agent_cli.types.errors import ToolError
from agent_cli.types.events import Event, Notice
from agent_cli.types.evidence import FileChange
from agent_cli.undo.history import undoing
from agent_cli.undo.preimages import Store
from agent_cli.undo.restore import Restoring
from agent_cli.undo.written import Written
from agent_cli.workspace.gate import Workspace

_MAY_CHANGE_ANYTHING = frozenset({Kind.EXECUTE, Kind.MCP})
_READING = (
    *("basename", "cat", "cmp", "cut", "date", "df", "diff", "dirname", "du", "echo", "false"),
    *("file", "find", "grep", "head", "id", "ls", "nl", "printenv", "pwd", "realpath", "rg"),
    *("sleep", "stat", "tail", "test", "tr", "true", "uname", "wc", "which", "whoami"),
)
"""Programs that change no file, unless told to in a way that the judge of commands knows."""
_MOST_NAMES = 10
_PATIENCE = 3.0
"""Seconds that a command waits until the workspace was read; a large one takes longer."""


class Keeping:
    """Watches over the calls of one session."""

    def __init__(
        self,
        session: Session,
        workspace: Workspace,
        keeper: Keeper | None,
        emit: Callable[[Event], None],
    ) -> None:
        self._session = session
        self._roots = workspace.roots
        self._notes = "" if workspace.notes is None else str(workspace.notes)
        self.store = keeper.store if keeper else None
        """None where nothing is kept."""
        self._tidy: Callable[[], tuple[str, ...]] = keeper.tidy if keeper else lambda: ()
        self._baseline = keeper.baseline if keeper else None
        self._written = Written(workspace.roots[0], keeper.store) if keeper else None
        self._emit = emit
        self._preparing: asyncio.Task[str] | None = None
        self._told = False
        self._marked = ""
        """The call for which the workspace was looked through."""
        self._missed: list[str] = []

    def begin(self) -> None:
        """Read the workspace for the first time, while others work."""
        if self._baseline is not None and self._preparing is None:
            self._preparing = asyncio.ensure_future(asyncio.to_thread(self._prepare))

    async def before(self, prepared: Prepared) -> None:
        """Keep what the started call may change."""
        call_id = prepared.call.id
        self._missed.clear()
        for effect in prepared.effects:
            if effect.kind is Kind.WRITE and self._written is not None:
                kept = self._written.keep(call_id, effect.target)
                for entry in kept:
                    self._session.append(entry)
                self._missed += [] if kept else [effect.target]
        baseline = self._baseline
        if baseline is not None and may_change_anything(prepared.effects):
            if not await self._prepared():
                return
            fault = await asyncio.to_thread(_attempt, lambda: baseline.mark(call_id))
            self._marked = call_id if not self._gives_up(fault) else ""

    async def after(self) -> None:
        """Record what the call has changed, which is about to get its result."""
        if self._marked and self._baseline is not None:
            self._gives_up(await asyncio.to_thread(_attempt, self._baseline.look_again))
            self._settle(looked=True)
        else:
            self._settle(looked=False)

    def settle(self) -> None:
        """Do the same at once, for a call that was broken off; nothing for one that is over."""
        self._settle(looked=False)

    def _settle(self, *, looked: bool) -> None:
        task = self._session.state.task
        if task.started is None or self._written is None:
            return
        changes, missed = self._written.compare(task.kept)
        if self._marked == task.started.call_id:
            more, also = self._found(looked=looked)
            known = {one.path for one in changes}
            changes += [one for one in more if one.path not in known]
            missed += also
        missed = [*self._missed, *missed]
        self._marked, self._missed = "", []
        if changes or missed:
            entry = FilesChanged(task.started.call_id, tuple(changes), tuple(missed))
            self._session.append(entry)
        if missed:
            names = ", ".join(missed[:_MOST_NAMES]) + (" …" if len(missed) > _MOST_NAMES else "")
            self._emit(Notice(say("cannot be undone, for it was not kept: {names}", names=names)))

    def recover(self) -> None:
        """Find out what a call has changed in whose middle the process was killed."""
        started = self._session.state.task.started
        if started is None:
            return
        if self._baseline is not None and self._baseline.resume(started.call_id):
            self._marked = started.call_id
        self.settle()

    def roll_back(self) -> None:
        """Restore what the last message changed, as far as it still is what it left."""
        wanted = undoing(self._session.state.task.changed)
        if self.store is None:
            left = tuple(one.path for one in wanted)
            self._session.append(FilesRestored((), "rollback", conflicts=left))
            return
        restoring = self.restoring(self.store)
        done = restoring.carry_out(restoring.plan(wanted))
        left = tuple(dict.fromkeys(one.path for one in done.left))
        self._session.append(FilesRestored(done.changes, "rollback", conflicts=left))

    def restoring(self, store: Store) -> Restoring:
        granted = self._written.paths if self._written is not None else frozenset[str]()
        return Restoring(self._roots, self._notes, store, granted.__contains__)

    async def close(self) -> None:
        """Leave what is known to the next session."""
        if self._baseline is not None and self._preparing is not None:
            self._baseline.stopped = True
            await self._preparing
            await asyncio.to_thread(self._baseline.close)

    def _prepare(self) -> str:
        """Do in a thread what `begin` is for; return what is to be told of it."""
        assert self._baseline is not None
        fault = _attempt(self._baseline.prepare)
        gone = self._tidy()
        if fault or not gone:
            return ""  # a fault will be met again, and told, when it matters
        return _forgotten(len(gone))

    async def _prepared(self) -> bool:
        """Wait until the workspace was read for the first time, but not for long."""
        self.begin()
        assert self._preparing is not None
        if not (await asyncio.wait({self._preparing}, timeout=_PATIENCE))[0]:
            text = say(
                "the workspace is still being read, so what this command changes cannot be undone"
            )
            self._emit(Notice(text))
            return False
        text = self._preparing.result()
        if text and not self._told:
            self._told = True
            self._emit(Notice(text))
        return True

    def _found(self, *, looked: bool) -> tuple[tuple[FileChange, ...], tuple[str, ...]]:
        found: list[tuple[tuple[FileChange, ...], tuple[str, ...]]] = []
        if (baseline := self._baseline) is not None:
            self._gives_up(_attempt(lambda: found.append(baseline.changes(looked=looked))))
        return found[0] if found else ((), ())

    def _gives_up(self, fault: str) -> bool:
        """Where the workspace cannot be looked through, say so and do without."""
        if not fault:
            return False
        self._baseline = None
        self._emit(Notice(say("what commands change cannot be undone: {why}", why=fault)))
        return True


def may_change_anything(effects: tuple[Effect, ...]) -> bool:
    """Whether a call with these effects may change files that it does not name."""
    return any(
        effect.kind in _MAY_CHANGE_ANYTHING
        and not (effect.kind is Kind.EXECUTE and _only_reads(effect.target))
        for effect in effects
    )


def _only_reads(command: str) -> bool:
    from agent_cli.approval.shell import judge  # noqa: PLC0415 - 20 ms, for commands only
    from agent_cli.types.approval import Decision  # noqa: PLC0415 - as above

    return judge(command, allow=_READING, deny=()).decision is Decision.ALLOW


def _forgotten(count: int) -> str:
    return say_many(
        "what {count} older session changed can no longer be undone",
        "what {count} older sessions changed can no longer be undone",
        count=count,
    )


def _attempt(work: Callable[[], None]) -> str:
    """Look through the workspace; return what went wrong."""
    try:
        work()
    except (OSError, ToolError) as error:
        return str(error)
    return ""

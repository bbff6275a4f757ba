"""Plays a recorded session again: its model against real tools, or against its own results.

The user's part is played from the record as well: what they said is said at the same place, calls
that were not allowed then are not run now, questions get the same answers.
"""

import asyncio
from collections.abc import Container, Sequence

from agent_cli.engine.steps import Dispatch
from agent_cli.engine.subtasks import SUBTASK, waits_for
from agent_cli.providers.base import Provider
from agent_cli.providers.recorded import RecordedModel
from agent_cli.runtime.agent import Agent
from agent_cli.runtime.dispatch import Dispatcher
from agent_cli.runtime.frontend import Frontend
from agent_cli.runtime.prepare import Toolbox
from agent_cli.runtime.recording import Recording
from agent_cli.runtime.session import Session
from agent_cli.runtime.undoing import repeat
from agent_cli.tools.base import StartTask
from agent_cli.types.approval import Request, Verdict
from agent_cli.types.entries import CallFinished, CallStarted, Entry, FilesRestored, UserSaid
from agent_cli.types.errors import ProviderError
from agent_cli.types.events import Appended, Event
from agent_cli.types.messages import ToolResult
from agent_cli.types.outcomes import Code, Outcome

_OF_THE_SESSION = frozenset({SUBTASK, "update_todo_list", "switch_mode", "run_slash_command"})
"""Tools that change the session itself: they run even where results are taken from the record."""
_STOPPED = frozenset({Outcome.INTERRUPTED, Outcome.UNKNOWN})


class Watcher:
    """Answers as the user did, and keeps what is recorded now."""

    def __init__(self, recording: Recording, watching: Frontend) -> None:
        self._recording = recording
        self._watching = watching
        self._call = ""
        self.entries: list[Entry] = []

    def emit(self, event: Event) -> None:
        if isinstance(event, Appended):
            self.entries.append(event.entry)
            if isinstance(event.entry, CallStarted):
                self._call = event.entry.call_id
        self._watching.emit(event)

    async def approve(self, requests: Sequence[Request]) -> Sequence[Verdict]:
        return [Verdict(approved=True) for _ in requests]

    async def ask(self, question: str, suggestions: tuple[str, ...] = ()) -> str | None:
        return self._recording.answer(self._call)

    async def feedback(self) -> str | None:
        return self._recording.feedback(self._call)


class Rehearsed(Dispatcher):
    """Runs the calls that ran, and lets the others come out as they did."""

    def __init__(
        self,
        inside: tuple[Session, Toolbox, Frontend],
        recording: Recording,
        missing: Container[str],
        *,
        real: bool,
    ) -> None:
        super().__init__(*inside)
        self._missing = missing
        self._recording = recording
        self._known = {call.id for message in recording.said for call in message.calls}
        self._real = real

    async def dispatch(self, step: Dispatch) -> StartTask | None:
        call = step.call
        if call.id not in self._known:
            return await super().dispatch(step)  # a live model has taken over
        recorded = self._recording.finished.get(call.id)
        if recorded is None and call.name == SUBTASK:
            return await super().dispatch(step)
        if recorded is None or recorded.result.outcome in _STOPPED:
            raise asyncio.CancelledError  # it was stopped here
        taken = not self._real and call.name not in _OF_THE_SESSION
        if taken or self._cannot_run(recorded.result, call.name):
            self._take(recorded)
            return None
        return await super().dispatch(step)

    def _cannot_run(self, result: ToolResult, tool: str) -> bool:
        """Whether what decided on the call, or its tool, is not there now."""
        if result.call_id in self._recording.refused or result.code is Code.HOOK:
            return True
        if result.code is Code.FORBIDDEN:
            return self._session.state.task.mode in self._missing
        return tool not in self.toolbox.tools

    def _take(self, recorded: CallFinished) -> None:
        for entry in self._recording.on_the_way.get(recorded.result.call_id, ()):
            self._session.append(entry)
        self._session.append(recorded)

    def restore(self, recorded: FilesRestored) -> None:
        """Put the files back that the user had put back here."""
        if self._real and self.keeping.store is not None:
            repeat(self._session, self.keeping.restoring(self.keeping.store), recorded)
        else:
            self._session.append(recorded)


class Rehearsal:
    """A recorded session that is played again. Only once."""

    def __init__(
        self,
        recording: Recording,
        *,
        real: bool,
        then: Provider | None = None,
        missing: Container[str] = (),
    ) -> None:
        """`real`: with real tools. `then`: who goes on after the recording's last message.

        `missing`: modes in whose place there are others.
        """
        self._recording = recording
        self._missing = missing
        self._outside = dict(recording.outside)
        self._real = real
        self._live = then is not None
        self._session: Session | None = None
        self._rehearsed: Rehearsed | None = None
        self.model = RecordedModel(recording.said, self._before, then)

    def dispatcher(self, session: Session, toolbox: Toolbox, frontend: Frontend) -> Dispatcher:
        """Return who runs the calls of the session in which it is played."""
        self._session = session
        self._rehearsed = Rehearsed(
            (session, toolbox, frontend), self._recording, self._missing, real=self._real
        )
        return self._rehearsed

    async def play(self, agent: Agent) -> None:
        """Play to the end of the recording, or as far as it goes the same way."""
        try:
            while True:
                before = self.model.played
                said = self._say(before)
                await self._work(agent)
                if not said and self.model.played == before:
                    return
        finally:
            await agent.close()

    async def _work(self, agent: Agent) -> None:
        try:
            await agent.work()
        except asyncio.CancelledError:
            task = asyncio.current_task()
            if task is not None and task.cancelling():
                raise  # it is the rehearsal that is stopped, not what is rehearsed
        except ProviderError:
            if self._live:
                raise

    def _before(self, number: int) -> None:
        if any(self._ends_subtask(entry) for entry in self._outside.get(number, ())):
            raise asyncio.CancelledError  # it was not asked any more
        self._say(number)
        assert self._session is not None  # there is one before a model is asked
        for entry in self._recording.queued.get(number, ()):
            self._session.append(entry)

    def _say(self, number: int) -> bool:
        """Record what came from outside before the message; return whether work goes on by it."""
        assert self._session is not None
        assert self._rehearsed is not None
        goes_on = False
        for entry in self._outside.pop(number, ()):
            if isinstance(entry, FilesRestored):
                self._rehearsed.restore(entry)
            elif not isinstance(entry, CallFinished) or self._ends_subtask(entry):
                self._session.append(entry)
                goes_on = goes_on or isinstance(entry, UserSaid | CallFinished)
        return goes_on

    def _ends_subtask(self, entry: Entry) -> bool:
        assert self._session is not None
        return isinstance(entry, CallFinished) and waits_for(
            self._session.state, entry.result.call_id
        )

"""Puts the entries of a session into turns, answers, calls and subtasks."""

from pathlib import Path

from msgspec import Struct, field

from agent_cli.i18n.catalog import say
from agent_cli.sessions.happened import happened
from agent_cli.sessions.stream import Reading, lines_of
from agent_cli.sessions.told import EXPORT_FORMAT, Answer, Call, Event, Export, Facts, Task, Turn
from agent_cli.types.entries import (
    AssistantSaid,
    AttemptLost,
    CallDecided,
    CallFinished,
    CheckRun,
    Entry,
    Envelope,
    FilesChanged,
    HistoryCompacted,
    ModelSwitched,
    Rewound,
    SessionRenamed,
    SessionStarted,
    TaskStarted,
    UserSaid,
)
from agent_cli.types.errors import JournalError
from agent_cli.types.evidence import Check
from agent_cli.types.messages import Reasoning, ToolCall
from agent_cli.types.usage import Usage

_DEEPEST = 20
"""Tasks on top of each other that are told as such; more than a session that holds can have."""


def export_of(path: Path) -> Export:
    """Export the valid part of a session file; raises JournalError if there is none."""
    try:
        with path.open("rb") as file:
            export = exported(Reading(lines_of(file)))
    except OSError as error:
        raise JournalError(
            say("cannot read the session {path}: {error}", path=path, error=error)
        ) from error
    if not export.journal:
        raise JournalError(
            say("{path} holds no session: {damage}", path=path, damage=export.session.damage)
        )
    return export


def exported(reading: Reading) -> Export:
    """Return the object for what is read, however little sense it makes."""
    telling = Telling()
    journal: list[Envelope] = []
    for envelope in reading:
        journal.append(envelope)
        telling.tell(envelope)
    return Export(
        export_format=EXPORT_FORMAT,
        session=telling.facts(reading.damage),
        task=telling.task(),
        journal=tuple(journal),
        last_hash=reading.last_hash,
    )


class _Call(Struct):
    call: ToolCall
    decided: CallDecided | None = None
    finished: CallFinished | None = None
    answered_in: int = 0
    """How many messages of the user held when its result came."""
    changed: list[str] = field(default_factory=list[str])
    checks: list[Check] = field(default_factory=list[Check])
    task: "_Task | None" = None

    def value(self) -> Call:
        decided, finished = self.decided, self.finished
        result = finished.result if finished else None
        return Call(
            id=self.call.id,
            name=self.call.name,
            arguments=self.call.arguments,
            complete=self.call.complete,
            decision=decided.decision if decided else "",
            decided_by=decided.by if decided else "",
            reason=decided.reason if decided else "",
            outcome=result.outcome if result else "",
            code=(result.code if result else None) or "",
            content=result.content if result else "",
            images=len(result.images) if result else 0,
            exit_code=result.exit_code if result else None,
            seconds=finished.seconds if finished else 0.0,
            completion=finished.completion if finished else None,
            changed=tuple(dict.fromkeys(self.changed)),
            checks=tuple(self.checks),
            task=self.task.value() if self.task else None,
        )


class _Step(Struct):
    at: str
    held: int
    """How many messages of the user held when it came."""
    said: AssistantSaid | None = None
    calls: list[_Call] = field(default_factory=list[_Call])
    kind: str = ""
    text: str = ""
    undone: bool = False

    def value(self) -> Answer | Event:
        if self.said is None:
            return Event(self.at, self.kind, self.text, self.undone)
        message = self.said.message
        thoughts = (block.text for block in message.blocks if isinstance(block, Reasoning))
        return Answer(
            at=self.at,
            text=message.text,
            reasoning="\n\n".join(thoughts),
            calls=tuple(call.value() for call in self.calls),
            stop_reason=message.stop_reason,
            usage=message.usage,
            seconds=self.said.seconds,
            undone=self.undone,
        )


class _Turn(Struct):
    number: int = 0
    at: str = ""
    text: str = ""
    images: int = 0
    queued: bool = False
    undone: bool = False
    steps: list[_Step] = field(default_factory=list[_Step])

    def value(self) -> Turn:
        steps = tuple(step.value() for step in self.steps)
        return Turn(self.number, self.at, self.text, self.images, self.queued, steps, self.undone)


class _Task(Struct):
    mode: str = ""
    waiting: str = ""
    """The call that it answers."""
    turns: list[_Turn] = field(default_factory=list[_Turn])

    def value(self) -> Task:
        return Task(self.mode, tuple(turn.value() for turn in self.turns))


class Telling:
    """A session being told, an entry at a time."""

    def __init__(self) -> None:
        self._root = _Task()
        self._stack = [self._root]
        self._points: list[list[_Task]] = []
        """The tasks at work before each message of the user that holds."""
        self._calls: dict[str, _Call] = {}
        self._turns: list[_Turn] = []
        self._steps: list[_Step] = []
        self._started: SessionStarted | None = None
        self._times: tuple[str, str] = ("", "")
        self._model = ""
        self._title = ""
        self._responses = 0
        self._usage = Usage()

    def task(self) -> Task:
        return self._root.value()

    def facts(self, damage: str) -> Facts:
        started, (first, last) = self._started, self._times
        return Facts(
            id=started.id if started else "",
            title=self._title,
            cwd=started.cwd if started else "",
            model=self._model,
            protocol=started.protocol if started else "",
            forked_from=started.forked_from if started else "",
            started=first,
            ended=last,
            responses=self._responses,
            usage=self._usage,
            damage=damage,
        )

    def tell(self, envelope: Envelope) -> None:
        self._times = (self._times[0] or envelope.at, envelope.at)
        at, entry = envelope.at, envelope.entry
        match entry:
            case SessionStarted():
                self._started = self._started or entry
                self._model = self._model or entry.model
            case TaskStarted():
                self._task_started(at, entry)
            case UserSaid(text, images, queued=queued):
                self._points.append(list(self._stack))
                number = len(self._points)
                self._turn(_Turn(number, at, text, len(images), queued))
            case AssistantSaid():
                self._answer(at, entry)
            case Rewound(kept):
                self._rewound(max(kept, 0))
            case _:
                self._of_calls(entry)
        if what := happened(entry):
            step = _Step(at, len(self._points), kind=what[0], text=what[1])
            self._step(step)

    def _of_calls(self, entry: Entry) -> None:
        match entry:
            case CallDecided(call_id):
                self._call(call_id).decided = entry
            case FilesChanged(call_id, changes, missed):
                paths = (change.path for change in changes)
                self._call(call_id).changed += [*paths, *missed]
            case CheckRun(call_id, check):
                self._call(call_id).checks.append(check)
            case CallFinished(result):
                call = self._call(result.call_id)
                call.finished, call.answered_in = entry, len(self._points)
                if len(self._stack) > 1 and self._stack[-1].waiting == result.call_id:
                    del self._stack[-1]
            case AttemptLost(usage) | HistoryCompacted(usage=usage):
                self._usage += usage
            case SessionRenamed(title):
                self._title = title
            case ModelSwitched(model):
                self._model = model
            case _:
                pass

    def _task_started(self, at: str, entry: TaskStarted) -> None:
        if not entry.parent_call_id:
            self._root.mode = self._root.mode or entry.mode
            return
        call = self._calls.get(entry.parent_call_id)
        if call is not None and len(self._stack) < _DEEPEST:
            call.task = _Task(entry.mode, entry.parent_call_id)
            self._stack.append(call.task)
        self._turn(_Turn(at=at, text=entry.message))

    def _answer(self, at: str, entry: AssistantSaid) -> None:
        self._responses += 1
        self._usage += entry.message.usage
        calls = [_Call(call) for call in entry.message.calls]
        self._calls |= {call.call.id: call for call in calls}
        self._step(_Step(at, len(self._points), entry, calls))

    def _turn(self, turn: _Turn) -> None:
        self._stack[-1].turns.append(turn)
        self._turns.append(turn)

    def _step(self, step: _Step) -> None:
        if not self._stack[-1].turns:
            self._turn(_Turn())
        self._stack[-1].turns[-1].steps.append(step)
        self._steps.append(step)

    def _call(self, call_id: str) -> _Call:
        """Return the call; one that nobody made is told of nowhere."""
        return self._calls.get(call_id) or _Call(ToolCall(call_id, "", ""))

    def _rewound(self, kept: int) -> None:
        """Mark what was said behind the first messages; go back to the tasks as they were."""
        if kept < len(self._points):
            self._stack = self._points[kept]
            del self._points[kept:]
        for turn in self._turns:
            turn.undone = turn.undone or turn.number > kept
        for step in self._steps:
            step.undone = step.undone or step.held > kept
        for call in self._calls.values():
            if call.answered_in > kept:
                call.finished = None
        self._turn(_Turn())  # what comes next belongs to nothing that was unsaid

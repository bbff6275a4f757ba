"""A session as something to be played again: what the model said, what came from outside, results.

From outside comes what neither the model nor its calls have led to: words of the user, and what
they have set, undone or taken back. It stands before the message of the model that came next.
"""

import re
from collections.abc import Iterable
from itertools import pairwise

from msgspec import Struct

from agent_cli.context.replies import reply
from agent_cli.i18n.catalog import say
from agent_cli.types.entries import (
    AssistantSaid,
    CallDecided,
    CallFinished,
    CallStarted,
    CheckRun,
    Entry,
    FailuresWaived,
    FilesRestored,
    HistoryCompacted,
    ModelSwitched,
    ModeSwitched,
    Nudged,
    ParallelSwitched,
    Rewound,
    SessionStarted,
    TaskStarted,
    TurnRulesSet,
    UserSaid,
)
from agent_cli.types.errors import JournalError
from agent_cli.types.messages import AssistantMessage
from agent_cli.types.outcomes import Code, Nudge, Outcome
from agent_cli.types.queued_input import InputQueued, InputUnqueued
from agent_cli.types.user_commands import UserRan

_ANSWER = re.compile(r"<answer>(.*)</answer>", re.DOTALL)
_FEEDBACK = re.compile(r"<feedback>\n(.*)\n</feedback>", re.DOTALL)
_ENDS_FROM_OUTSIDE = frozenset({Code.SUBTASK_CANCELLED, Code.SUBTASK_FAILED})
"""Of subtasks: the user has given it up, or a budget that is not known here was used up."""


class Recording(Struct, frozen=True):
    started: SessionStarted
    mode: str
    """In which it began."""
    said: tuple[AssistantMessage, ...]
    outside: dict[int, tuple[Entry, ...]]
    """By the number of the model's next message."""
    queued: dict[int, tuple[InputQueued | InputUnqueued, ...]]
    """What the user said while the calls of the message with this number were at work."""
    finished: dict[str, CallFinished]
    """By call; one that was never answered is not there."""
    on_the_way: dict[str, tuple[Entry, ...]]
    """By call: how it was decided, that it started, and checks that ran because of it."""
    refused: frozenset[str]
    """Calls that a person, a rule or a hook did not let run."""
    interactive: bool
    """A person was there to talk to."""
    entries: tuple[Entry, ...]

    def answer(self, call_id: str) -> str | None:
        """Return what the user answered to the question of a call."""
        return _found(_ANSWER, self.finished.get(call_id))

    def feedback(self, call_id: str) -> str | None:
        """Return what the user said of a result: nothing if they accepted it."""
        finished = self.finished.get(call_id)
        if finished is None or finished.result.content.endswith(reply("accepted_by_nobody")):
            return None
        said = finished.result.code is Code.FEEDBACK
        return (_found(_FEEDBACK, finished) or "") if said else ""


def _found(pattern: re.Pattern[str], finished: CallFinished | None) -> str | None:
    match = pattern.search(finished.result.content) if finished else None
    return match[1] if match else None


def recording(entries: Iterable[Entry], until: int | None = None) -> Recording:
    """Take a session apart, up to the model's message number `until`; raises JournalError."""
    kept = tuple(_until(entries, until))
    started = next((one for one in kept if isinstance(one, SessionStarted)), None)
    first = next((one for one in kept if isinstance(one, TaskStarted)), None)
    if started is None or first is None:
        raise JournalError(say("the session has not begun: there is nothing to play"))
    sorter = _Sorter()
    for entry in kept:
        sorter.take(entry)
    return Recording(
        started=started,
        mode=first.mode,
        said=tuple(sorter.said),
        outside={place: tuple(found) for place, found in sorter.outside.items()},
        queued={place: tuple(found) for place, found in sorter.queued.items()},
        finished=sorter.finished,
        on_the_way={call_id: tuple(found) for call_id, found in sorter.on_the_way.items()},
        refused=frozenset(sorter.refused),
        interactive=_interactive(kept),
        entries=kept,
    )


def _until(entries: Iterable[Entry], until: int | None) -> Iterable[Entry]:
    """Yield the entries before the message of the model that is one too many."""
    turns = 0
    for entry in entries:
        if isinstance(entry, AssistantSaid):
            turns += 1
            if until is not None and turns > until:
                return
        yield entry


class _Sorter:
    """What was seen so far."""

    def __init__(self) -> None:
        self.said: list[AssistantMessage] = []
        self.outside: dict[int, list[Entry]] = {}
        self.queued: dict[int, list[InputQueued | InputUnqueued]] = {}
        self.finished: dict[str, CallFinished] = {}
        self.on_the_way: dict[str, list[Entry]] = {}
        self.refused: set[str] = set()
        self._running = False

    def take(self, entry: Entry) -> None:
        match entry:
            case AssistantSaid(message):
                self.said.append(message)
            case CallDecided(call_id) | CallStarted(call_id) | CheckRun(call_id):
                self._running = self._running or isinstance(entry, CallStarted)
                self.on_the_way.setdefault(call_id, []).append(entry)
            case TaskStarted():
                self._running = False  # its call waits
            case CallFinished():
                self._finished(entry)
            case InputQueued() | InputUnqueued() if self.said:
                self.queued.setdefault(len(self.said) - 1, []).append(entry)
            case ModeSwitched() if self._running:
                pass
            case _ if _is_from_outside(entry):
                self.outside.setdefault(len(self.said), []).append(entry)
            case _:
                pass

    def _finished(self, entry: CallFinished) -> None:
        result = entry.result
        self.finished[result.call_id] = entry
        if not self._running and result.outcome in {Outcome.DENIED, Outcome.REJECTED}:
            self.refused.add(result.call_id)
        self._running = False
        if result.code in _ENDS_FROM_OUTSIDE:
            self.outside.setdefault(len(self.said), []).append(entry)


def _interactive(entries: tuple[Entry, ...]) -> bool:
    """Whether a text without a call once gave the user the floor, and nobody nudged the model."""
    spoken = [one for one in entries if isinstance(one, AssistantSaid | Nudged | UserSaid)]
    return any(
        isinstance(said, AssistantSaid)
        and not said.message.calls
        and said.message.text.strip()
        and not isinstance(then, Nudged)
        for said, then in pairwise(spoken)
    )


def _is_from_outside(entry: Entry) -> bool:
    match entry:
        case UserSaid(queued=queued):
            return not queued
        case FilesRestored(why=why):
            return why != "rollback"
        case Nudged(code):
            return code is Nudge.CALL_ORDER  # it was not the engine that found this
        case (
            InputQueued()
            | InputUnqueued()
            | ModeSwitched()
            | ModelSwitched()
            | ParallelSwitched()
            | TurnRulesSet()
            | FailuresWaived()
            | HistoryCompacted()
            | Rewound()
            | UserRan()
        ):
            return True
        case _:
            return False

"""From the entries of a session to facts: a fold that leaves every free text behind.

Entries that mean nothing here, of whatever kind, change nothing.
"""

from typing import TypeAlias

from msgspec import Struct, field
from msgspec.structs import replace

from agent_cli.engine.outcomes import COMPLETION
from agent_cli.telemetry.facts import (
    Answered,
    Compacted,
    Completed,
    CompletionAttempted,
    CompletionRefused,
    Ending,
    Fact,
    Lost,
    Model,
    NudgeSent,
    SessionBegan,
    Stopped,
    Used,
    Vocabulary,
    WorkBegan,
    WorkEnded,
    made,
)
from agent_cli.types.entries import (
    AssistantSaid,
    AttemptLost,
    BudgetStopped,
    CallFinished,
    CallStarted,
    Entry,
    HistoryCompacted,
    Interrupted,
    ModelSwitched,
    Nudged,
    SessionStarted,
    TaskFinished,
    TaskStarted,
    UserSaid,
)
from agent_cli.types.events import SessionOpened
from agent_cli.types.messages import ToolCall
from agent_cli.types.outcomes import Code, Limit, Outcome, Stop
from agent_cli.types.requests import Protocol

GUARDING = frozenset(
    {Code.FAILED_EARLIER, Code.UNRESOLVED, Code.OPEN_TODOS, Code.CHECK_FAILED, Code.HOOK}
)
"""Codes of a completion that was refused, other than by a mistake in the call itself."""


class OpenCall(Struct, frozen=True):
    """A call without a result; its name goes no further than here."""

    name: str
    started: int | None = None
    """None: it has not run."""


_UNKNOWN = OpenCall("")


class Reader(Struct, frozen=True):
    """What must be remembered of the entries so far to understand the next one."""

    vocabulary: Vocabulary
    conversation: str = ""
    model: Model = Model()
    protocol: Protocol = Protocol.NATIVE
    calls: dict[str, OpenCall] = field(default_factory=dict[str, OpenCall])
    """By id; those of a task and of the subtask that it waits for."""
    working: tuple[str, ...] = ()
    """For each stretch of work that has not ended: the call that it is a subtask of, or nothing."""
    ending: Ending = Ending.HANDED_BACK
    """How the work will have ended if nothing more comes of it."""
    last: int = 0
    """When the last entry was written."""
    shared: int = 0
    """Before this the entries are another session's, from which this one was forked."""


Read: TypeAlias = tuple[Reader, tuple[Fact, ...]]


def opened(reader: Reader, event: SessionOpened) -> Reader:
    """Return the reader of a session that is gone on with; its earlier entries are not read."""
    return replace(
        reader,
        conversation=reader.vocabulary.conversation(event.id),
        model=reader.vocabulary.model(event.model),
        protocol=event.protocol,
        calls=reader.calls or _open(event.open_calls),
    )


def read(reader: Reader, at: int, entry: Entry) -> Read:
    """Return the reader for the next entry, and what this one says.

    What a fork shares with another session is understood, and told by that one only.
    """
    after, facts = _of_work(reader, at, entry) or _of_calls(reader, at, entry) or (reader, ())
    told = facts if at >= after.shared or isinstance(entry, SessionStarted) else ()
    return replace(after, last=at), told


def ended(reader: Reader) -> tuple[Fact, ...]:
    """Return the end of all work, when nobody goes on with it."""
    return tuple(WorkEnded(reader.last, reader.ending) for _ in reader.working)


def _of_work(reader: Reader, at: int, entry: Entry) -> Read | None:
    match entry:
        case SessionStarted():
            return _began(reader.vocabulary, at, entry)
        case ModelSwitched(model):
            return replace(reader, model=reader.vocabulary.model(model)), ()
        case TaskStarted(parent_call_id=parent) if parent:
            working = (*reader.working, parent)
            began = _begun(reader, at, subtask=True)
            return replace(reader, working=working), (began,)
        case UserSaid():
            over = (WorkEnded(reader.last, reader.ending),) if reader.working else ()
            working = reader.working or ("",)
            after = replace(reader, working=working, ending=Ending.HANDED_BACK)
            return after, (*over, _begun(reader, at))
        case TaskFinished():
            over = (WorkEnded(at, Ending.COMPLETED),) if reader.working else ()
            return replace(reader, working=reader.working[:-1]), over
        case Interrupted(reason=why):
            return _stopped(reader, at, why, Ending.INTERRUPTED)
        case BudgetStopped(limit):
            return _stopped(reader, at, limit, Ending.LIMIT)
        case _:
            return None


def _began(vocabulary: Vocabulary, at: int, entry: SessionStarted) -> Read:
    shared = made(entry.id) if entry.forked_from else 0
    reader = Reader(
        vocabulary,
        vocabulary.conversation(entry.id),
        vocabulary.model(entry.model),
        entry.protocol,
        shared=shared,
    )
    return reader, (SessionBegan(max(at, shared)),)


def _begun(reader: Reader, at: int, *, subtask: bool = False) -> WorkBegan:
    return WorkBegan(at, reader.conversation, reader.model, subtask)


def _stopped(reader: Reader, at: int, why: Stop | Limit, how: Ending) -> Read:
    # The work ends later: the calls that were open still get their results.
    return replace(reader, ending=how), (Stopped(at, why),)


def _of_calls(reader: Reader, at: int, entry: Entry) -> Read | None:
    match entry:
        case AssistantSaid():
            return _answered(reader, at, entry)
        case AttemptLost(usage):
            return reader, (Lost(at, usage),)
        case HistoryCompacted(usage=usage):
            return reader, (Compacted(at, usage),)
        case Nudged(code):
            return reader, (NudgeSent(at, code),)
        case CallStarted(call_id):
            call = replace(reader.calls.get(call_id, _UNKNOWN), started=at)
            facts = (CompletionAttempted(at),) if call.name == COMPLETION else ()
            return replace(reader, calls=reader.calls | {call_id: call}), facts
        case CallFinished():
            return _finished(reader, at, entry)
        case _:
            return None


def _answered(reader: Reader, at: int, entry: AssistantSaid) -> Read:
    message = entry.message
    began = at - int(entry.seconds * 10**9) if entry.seconds else reader.last or at
    answered = Answered(
        at,
        min(began, at),
        reader.model,
        reader.protocol,
        message.stop_reason,
        message.usage,
        entry.retries,
        reader.conversation,
    )
    after = replace(reader, calls=reader.calls | _open(message.calls))
    if reader.working:
        return after, (answered,)
    # Work on what an earlier session had left.
    return replace(after, working=("",)), (_begun(reader, began), answered)


def _finished(reader: Reader, at: int, entry: CallFinished) -> Read:
    result = entry.result
    call = reader.calls.get(result.call_id, _UNKNOWN)
    used = Used(
        at,
        call.started,
        reader.vocabulary.tool(call.name),
        reader.protocol,
        result.outcome,
        result.code,
        reader.conversation,
    )
    facts = (used, *_of_completion(at, call, entry))
    left = {call_id: other for call_id, other in reader.calls.items() if call_id != result.call_id}
    return _without_subtask(replace(reader, calls=left), at, result.call_id, facts)


def _of_completion(at: int, call: OpenCall, entry: CallFinished) -> tuple[Fact, ...]:
    code = entry.result.code
    if entry.completion is not None:
        return (Completed(at),)
    if call.name != COMPLETION or code is None or entry.result.outcome is Outcome.OK:
        return ()
    return (CompletionRefused(at, code),) if code in GUARDING else ()


def _without_subtask(reader: Reader, at: int, call_id: str, facts: tuple[Fact, ...]) -> Read:
    """End what worked for the call, if it has not: it was cancelled."""
    if call_id not in reader.working:
        return reader, facts
    place = reader.working.index(call_id)
    over = tuple(WorkEnded(at, Ending.INTERRUPTED) for _ in reader.working[place:])
    return replace(reader, working=reader.working[:place]), (*over, *facts)


def _open(calls: tuple[ToolCall, ...]) -> dict[str, OpenCall]:
    return {call.id: OpenCall(call.name) for call in calls}

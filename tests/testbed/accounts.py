"""What must hold in every session, counted from its entries alone."""

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import pairwise

from agent_cli.types.approval import Decision
from agent_cli.types.entries import (
    AssistantSaid,
    CallDecided,
    CallFinished,
    CallStarted,
    Entry,
    Rewound,
    TaskStarted,
    UserSaid,
    VerdictGiven,
)
from agent_cli.types.messages import AssistantMessage
from agent_cli.types.outcomes import Code, Outcome
from agent_cli.types.queued_input import InputQueued, InputUnqueued

LAST_WORDS = (
    Code.FINISHED,
    Code.FEEDBACK,
    Code.FAILED_EARLIER,
    Code.SUBTASK_COMPLETED,
    Code.SUBTASK_FAILED,
    Code.SUBTASK_CANCELLED,
)
"""How a completion, or a call that a subtask has answered, ends its message."""


def conversations(told: Sequence[Entry]) -> list[list[Entry]]:
    """What was told of each task, as far as it was not unsaid; a subtask's result is its parent's.

    Those that are not over come last, the session's own first of them.
    """
    over: list[list[Entry]] = []
    stack: list[list[Entry]] = [[]]
    waiting: list[str] = [""]
    points: list[tuple[list[list[Entry]], list[str]]] = []
    for entry in told:
        if isinstance(entry, UserSaid):
            points.append(([list(one) for one in stack], list(waiting)))
        if isinstance(entry, Rewound):
            stack, waiting = points[entry.kept]
            del points[entry.kept :]
        elif isinstance(entry, TaskStarted) and entry.parent_call_id:
            stack.append([entry])
            waiting.append(entry.parent_call_id)
        else:
            if isinstance(entry, CallFinished) and entry.result.call_id == waiting[-1]:
                over.append(stack.pop())
                waiting.pop()
            stack[-1].append(entry)
    return [*over, *stack]


def messages(told: Sequence[Entry]) -> Iterator[tuple[AssistantMessage, list[Entry]]]:
    """Every assistant message, with what followed it until the next."""
    places = [place for place, entry in enumerate(told) if isinstance(entry, AssistantSaid)]
    for place, end in pairwise([*places, len(told)]):
        entry = told[place]
        assert isinstance(entry, AssistantSaid)
        yield entry.message, list(told[place + 1 : end])


def every_call_has_one_result_in_order(
    told: Sequence[Entry], still_open: Sequence[list[str]]
) -> None:
    """`still_open` are the open calls of each task that is not over, the session's own first."""
    parts = conversations(told)
    ended = len(parts) - len(still_open)
    for part, left in zip(parts, [*([[]] * ended), *still_open], strict=True):
        asked = [call.id for message, _ in messages(part) for call in message.calls]
        results = [entry.result.call_id for entry in part if isinstance(entry, CallFinished)]
        assert asked == results + left
    ids = [call.id for message, _ in messages(told) for call in message.calls]
    assert len(set(ids)) == len(ids)


def no_call_runs_twice_or_incomplete(told: Sequence[Entry]) -> None:
    starts = Counter(entry.call_id for entry in told if isinstance(entry, CallStarted))
    assert all(times == 1 for times in starts.values())
    whole = {call.id for message, _ in messages(told) for call in message.calls if call.complete}
    assert starts.keys() <= whole
    ended = [entry.result for entry in told if isinstance(entry, CallFinished)]
    assert {result.call_id for result in ended if not result.is_error} <= starts.keys()


def every_message_is_worked_off_as_the_law_says(told: Sequence[Entry]) -> None:
    """No completion stands after a failure; nothing starts after what ends the message."""
    for _, followed in (pair for part in conversations(told) for pair in messages(part)):
        failed = over = False
        for entry in followed:
            if isinstance(entry, CallStarted):
                assert not over
            if isinstance(entry, CallFinished):
                assert entry.completion is None or not failed
                result = entry.result
                failed = failed or result.outcome is not Outcome.OK
                over = over or result.outcome is Outcome.REJECTED or result.code in LAST_WORDS


def one_call_per_message_starts(told: Sequence[Entry]) -> None:
    pairs = (pair for part in conversations(told) for pair in messages(part))
    for message, followed in pairs:
        starts = [entry.call_id for entry in followed if isinstance(entry, CallStarted)]
        assert starts in ([], [call.id for call in message.calls[:1]])


def queued_input_is_delivered_once_in_order(told: Sequence[Entry], queued: Sequence[str]) -> None:
    """`queued` is what is still to be delivered."""
    given: list[str] = []
    for entry in told:
        if isinstance(entry, InputQueued):
            given.append(entry.text)
        elif isinstance(entry, InputUnqueued):
            assert given.pop() == entry.text
    delivered = [entry.text for entry in told if isinstance(entry, UserSaid) and entry.queued]
    assert given == [*delivered, *queued]


def no_call_starts_without_leave(told: Sequence[Entry]) -> None:
    """Whatever starts was allowed before, and the user has not said no to it."""
    allowed: set[str] = set()
    rejected: set[str] = set()
    for entry in told:
        match entry:
            case CallDecided(call_id, decision):
                (allowed.add if decision is Decision.ALLOW else allowed.discard)(call_id)
            case VerdictGiven(call_id, verdict) if not verdict.approved:
                rejected.add(call_id)
            case CallStarted(call_id):
                assert call_id in allowed - rejected
            case _:
                pass

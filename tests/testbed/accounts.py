"""What must hold in every session, counted from its entries alone."""

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import pairwise

from agent_cli.types.entries import AssistantSaid, CallFinished, CallStarted, Entry
from agent_cli.types.messages import AssistantMessage
from agent_cli.types.outcomes import Code, Outcome

LAST_WORDS = (Code.FINISHED, Code.FEEDBACK, Code.FAILED_EARLIER)
"""How a completion ends its message."""


def messages(told: Sequence[Entry]) -> Iterator[tuple[AssistantMessage, list[Entry]]]:
    """Every assistant message, with what followed it until the next."""
    places = [place for place, entry in enumerate(told) if isinstance(entry, AssistantSaid)]
    for place, end in pairwise([*places, len(told)]):
        entry = told[place]
        assert isinstance(entry, AssistantSaid)
        yield entry.message, list(told[place + 1 : end])


def every_call_has_one_result_in_order(told: Sequence[Entry], still_open: list[str]) -> None:
    asked = [call.id for message, _ in messages(told) for call in message.calls]
    results = [entry.result.call_id for entry in told if isinstance(entry, CallFinished)]
    assert asked == results + still_open
    assert len(set(asked)) == len(asked)


def no_call_runs_twice_or_incomplete(told: Sequence[Entry]) -> None:
    starts = Counter(entry.call_id for entry in told if isinstance(entry, CallStarted))
    assert all(times == 1 for times in starts.values())
    whole = {call.id for message, _ in messages(told) for call in message.calls if call.complete}
    assert starts.keys() <= whole
    ended = [entry.result for entry in told if isinstance(entry, CallFinished)]
    assert {result.call_id for result in ended if not result.is_error} <= starts.keys()


def every_message_is_worked_off_as_the_law_says(told: Sequence[Entry]) -> None:
    """No completion stands after a failure; nothing starts after what ends the message."""
    for _, followed in messages(told):
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
    for message, followed in messages(told):
        starts = [entry.call_id for entry in followed if isinstance(entry, CallStarted)]
        assert starts in ([], [call.id for call in message.calls[:1]])

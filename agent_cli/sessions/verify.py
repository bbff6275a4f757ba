"""Whether a session's calls add up, counted from its entries alone.

Deliberately independent of the engine: it is the check on it.
"""

from collections import Counter
from collections.abc import Iterable

from msgspec import Struct

from agent_cli.types.entries import AssistantSaid, CallFinished, CallStarted, Entry
from agent_cli.types.outcomes import Outcome


class Report(Struct, frozen=True):
    calls: int
    results: int
    outcomes: tuple[tuple[str, int], ...]
    """How often each outcome occurs, in the law's order."""
    duplicates: tuple[str, ...]
    """Ids of calls with more than one result, and ids used by more than one call."""
    orphans: tuple[str, ...]
    """Ids of results without a call before them."""
    unanswered: tuple[str, ...]
    """Ids of calls without a result."""
    misplaced: tuple[str, ...]
    """Ids of results that are not in the order of their calls."""
    rerun: tuple[str, ...]
    """Ids of calls that were started more than once."""

    @property
    def adds_up(self) -> bool:
        return not (
            self.duplicates or self.orphans or self.unanswered or self.misplaced or self.rerun
        )


class _Count:
    """What was seen so far."""

    def __init__(self) -> None:
        self.asked: dict[str, int] = {}
        self.answered: dict[str, int] = {}
        self.open: list[str] = []
        self.started: Counter[str] = Counter()
        self.outcomes: Counter[Outcome] = Counter()
        self.orphans: list[str] = []
        self.misplaced: list[str] = []

    def call(self, call_id: str) -> None:
        self.asked[call_id] = self.asked.get(call_id, 0) + 1
        self.open.append(call_id)

    def result(self, call_id: str) -> None:
        if call_id not in self.asked:
            self.orphans.append(call_id)
            return
        self.answered[call_id] = self.answered.get(call_id, 0) + 1
        position = len(self.answered) - 1
        if self.answered[call_id] == 1 and self.open[position] != call_id:
            self.misplaced.append(call_id)


def verify(entries: Iterable[Entry]) -> Report:
    """Count calls and results."""
    count = _Count()
    for entry in entries:
        match entry:
            case AssistantSaid(message):
                for call in message.calls:
                    count.call(call.id)
            case CallStarted(call_id):
                count.started[call_id] += 1
            case CallFinished(result):
                count.outcomes[result.outcome] += 1
                count.result(result.call_id)
            case _:
                pass
    return _report(count)


def _report(count: _Count) -> Report:
    twice = {i for i, n in count.asked.items() if n > 1} | {
        i for i, n in count.answered.items() if n > 1
    }
    return Report(
        calls=sum(count.asked.values()),
        results=sum(count.outcomes.values()),
        outcomes=tuple((o.value, count.outcomes[o]) for o in Outcome if count.outcomes[o]),
        duplicates=tuple(sorted(twice)),
        orphans=tuple(count.orphans),
        unanswered=tuple(i for i in count.asked if i not in count.answered),
        misplaced=tuple(count.misplaced),
        rerun=tuple(sorted(i for i, n in count.started.items() if n > 1)),
    )

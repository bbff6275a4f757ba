"""Whether a session's calls add up, counted from its entries alone.

Deliberately independent of the engine: it is the check on it.
"""

from collections import Counter
from collections.abc import Iterable

from msgspec import Struct

from agent_cli.types.entries import (
    AssistantSaid,
    CallFinished,
    CallStarted,
    Entry,
    Rewound,
    TaskStarted,
    UserSaid,
)
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
    """Ids of calls without a result, though nothing is under way that would give them one."""
    misplaced: tuple[str, ...]
    """Ids of results that are not in the order of their calls."""
    rerun: tuple[str, ...]
    """Ids of calls that were started more than once."""
    waiting: tuple[str, ...] = ()
    """Ids of calls whose subtask is not over, with the calls behind them: no fault."""

    @property
    def adds_up(self) -> bool:
        return not (
            self.duplicates or self.orphans or self.unanswered or self.misplaced or self.rerun
        )


class _Count:
    """What was seen so far."""

    def __init__(self) -> None:
        self.asked: Counter[str] = Counter()
        self.answered: Counter[str] = Counter()
        self.started: Counter[str] = Counter()
        self.outcomes: Counter[Outcome] = Counter()
        self.orphans: list[str] = []
        self.misplaced: list[str] = []
        self.unsaid: set[str] = set()
        """Calls that waited when the user took back the words that had led to them."""
        self._open: list[list[str]] = [[]]
        """The open calls of each task, the running one last."""
        self._before: list[tuple[list[list[str]], int]] = []
        """The same, and how many results there were, before each message of the user."""
        self._given: list[str] = []
        """The calls that have a first result, in the order of the results."""

    def calls(self, ids: list[str]) -> None:
        self.asked.update(ids)
        self._open[-1] = ids

    def task(self) -> None:
        self._open.append([])

    def user(self) -> None:
        self._before.append(([list(ids) for ids in self._open], len(self._given)))

    def rewind(self, kept: int) -> None:
        left = {call_id for ids in self._open for call_id in ids}
        self._open, given = self._before[kept] if kept < len(self._before) else ([[]], 0)
        del self._before[kept:]
        waiting = {call_id for ids in self._open for call_id in ids}
        for call_id in waiting.intersection(self._given[given:]):
            self.answered[call_id] -= 1  # the subtask whose result it was goes on after all
        del self._given[given:]
        self.unsaid |= left - waiting

    def result(self, call_id: str) -> None:
        if call_id not in self.asked:
            self.orphans.append(call_id)
            return
        self.answered[call_id] += 1
        if self.answered[call_id] > 1:
            return
        self._given.append(call_id)
        if len(self._open) > 1 and self._open[-2][:1] == [call_id]:
            self._open.pop()
        if self._open[-1][:1] == [call_id]:
            self._open[-1].pop(0)
            return
        self.misplaced.append(call_id)
        for ids in self._open:
            if call_id in ids:
                ids.remove(call_id)

    @property
    def waiting(self) -> tuple[str, ...]:
        return tuple(call_id for ids in self._open[:-1] for call_id in ids)


def verify(entries: Iterable[Entry]) -> Report:
    """Count calls and results."""
    count = _Count()
    for entry in entries:
        match entry:
            case AssistantSaid(message):
                count.calls([call.id for call in message.calls])
            case CallStarted(call_id):
                count.started[call_id] += 1
            case CallFinished(result):
                count.outcomes[result.outcome] += 1
                count.result(result.call_id)
            case TaskStarted(parent_call_id=call_id) if call_id:
                count.task()
            case UserSaid():
                count.user()
            case Rewound(kept):
                count.rewind(kept)
            case _:
                pass
    return _report(count)


def _report(count: _Count) -> Report:
    waiting = count.waiting
    excused = count.unsaid.union(waiting)
    twice = {i for i, n in count.asked.items() if n > 1} | {
        i for i, n in count.answered.items() if n > 1
    }
    return Report(
        calls=count.asked.total(),
        results=count.outcomes.total(),
        outcomes=tuple((o.value, count.outcomes[o]) for o in Outcome if count.outcomes[o]),
        duplicates=tuple(sorted(twice)),
        orphans=tuple(count.orphans),
        unanswered=tuple(i for i in count.asked if not count.answered[i] and i not in excused),
        misplaced=tuple(count.misplaced),
        rerun=tuple(sorted(i for i, n in count.started.items() if n > 1)),
        waiting=waiting,
    )

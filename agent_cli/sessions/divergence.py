"""Where a session that was played again came out otherwise: a pure comparison of two stories.

Compared is what calls led to, in order: outcome, code and content of every result, what the
engine said to the model by itself, subtasks, completions. Not compared are times, decisions, and
how a call that was interrupted had got on.
"""

from collections.abc import Callable, Iterable, Iterator
from typing import TypeAlias

from msgspec import Struct

from agent_cli.types.entries import (
    AssistantSaid,
    CallFinished,
    Entry,
    ModeSwitched,
    Nudged,
    TaskFinished,
    TaskStarted,
    TodosUpdated,
)
from agent_cli.types.outcomes import Outcome

Fact: TypeAlias = tuple[tuple[str, str], ...]

_STOPPED = (Outcome.INTERRUPTED, Outcome.UNKNOWN)


class Divergence(Struct, frozen=True):
    """The first fact that is not the same."""

    turn: int
    """Number of the model's message that led to it, from 1."""
    what: str
    """The call's tool and id, or what else it is."""
    field: str
    recorded: str
    played: str
    """Empty if there is nothing any more."""


def around(text: str, other: str, most: int) -> str:
    """Return so much of the text as is to be shown, from shortly before it leaves the other."""
    if len(text) <= most:
        return text
    first = next(
        (at for at, pair in enumerate(zip(text, other, strict=False)) if len(set(pair)) > 1), 0
    )
    start = max(0, min(first - most // 4, len(text) - most))
    end = start + most
    return f"{'…' * (start > 0)}{text[start:end]}{'…' * (end < len(text))}"


class _Told(Struct, frozen=True):
    turn: int
    what: str
    fact: Fact


def first_divergence(
    recorded: Iterable[Entry], played: Iterable[Entry], same: Callable[[str], str]
) -> Divergence | None:
    """Return where they part, as far as was recorded.

    `same` spells what may differ, such as a folder, in one way.
    """
    facts = _facts(played, same)
    for before in _facts(recorded, same):
        found = _compare(before, next(facts, None))
        if found is not None:
            return found
    return None


def _compare(before: _Told, now: _Told | None) -> Divergence | None:
    if now is None:
        whole = "; ".join(f"{name}: {value}" for name, value in before.fact)
        return Divergence(before.turn, before.what, "presence", whole, "")
    if before.what != now.what:
        return Divergence(before.turn, before.what, "order", before.what, now.what)
    for (name, old), (_, new) in zip(before.fact, now.fact, strict=True):
        if old != new:
            return Divergence(before.turn, before.what, name, old, new)
    return None


def _facts(entries: Iterable[Entry], same: Callable[[str], str]) -> Iterator[_Told]:
    turn = 0
    names: dict[str, str] = {}
    held: list[_Told] = []
    for entry in entries:
        if isinstance(entry, AssistantSaid):
            turn += 1
            names |= {call.id: call.name for call in entry.message.calls}
            continue
        told = _told(entry, names, same)
        if told is None:
            continue
        held.append(_Told(turn, *told))
        if not isinstance(entry, ModeSwitched | TodosUpdated):  # a call's, that may have no end
            yield from held
            held.clear()


def _told(
    entry: Entry, names: dict[str, str], same: Callable[[str], str]
) -> tuple[str, Fact] | None:
    match entry:
        case CallFinished(result, completion):
            what = f"{names.get(result.call_id, '?')} {result.call_id}"
            if result.outcome in _STOPPED:
                return what, (("outcome", "stopped"),)
            return what, (
                ("outcome", result.outcome.value),
                ("code", result.code.value if result.code else ""),
                ("content", same(result.content)),
                ("images", str(len(result.images))),
                ("completion", completion or ""),
            )
        case Nudged(code):
            return "nudge", (("code", code.value),)
        case TaskStarted(mode, parent, message, todos=todos) if parent:
            told = (("mode", mode), ("message", message), ("todos", str(len(todos))))
            return f"subtask of {parent}", told
        case TaskFinished(result):
            return "end of the task", (("result", result),)
        case TodosUpdated(todos):
            return "to-do list", (("todos", "\n".join(f"[{t.status}] {t.text}" for t in todos)),)
        case ModeSwitched(mode):
            return "mode", (("mode", mode),)
        case _:
            return None

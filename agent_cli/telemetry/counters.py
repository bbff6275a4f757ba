"""How often what happened: a fold of facts, the same for `agent stats` and for what is exported."""

from collections.abc import Iterable, Mapping
from typing import TypeVar

from msgspec import Struct, field
from msgspec.structs import replace

from agent_cli.telemetry.facts import (
    Answered,
    Compacted,
    Completed,
    CompletionAttempted,
    CompletionRefused,
    Fact,
    Lost,
    Model,
    NudgeSent,
    SessionBegan,
    Stopped,
    Used,
    WorkBegan,
)
from agent_cli.types.outcomes import Code, Limit, Nudge, Outcome, Stop
from agent_cli.types.requests import Protocol
from agent_cli.types.usage import Usage

K = TypeVar("K")


class ToolUse(Struct, frozen=True):
    tool: str
    outcome: Outcome
    protocol: Protocol


class Spent(Struct, frozen=True):
    """What one model was asked for."""

    responses: int = 0
    seconds: float = 0.0
    """At work, retries included."""
    usage: Usage = Usage()


class Counters(Struct, frozen=True):
    sessions: int = 0
    """Begun."""
    prompts: int = 0
    """What the user asked for."""
    subtasks: int = 0
    responses: int = 0
    retries: int = 0
    compactions: int = 0
    usage: Usage = Usage()
    """Of responses, of those that broke off, and of summaries."""
    attempted: int = 0
    """Completions that passed the guard."""
    completed: int = 0
    """Completions that were accepted, each counted once."""
    refused: dict[Code, int] = field(default_factory=dict[Code, int])
    """Completions that were not let through, by why."""
    nudges: dict[Nudge, int] = field(default_factory=dict[Nudge, int])
    stops: dict[Stop | Limit, int] = field(default_factory=dict[Stop | Limit, int])
    tools: dict[ToolUse, int] = field(default_factory=dict[ToolUse, int])
    models: dict[Model, Spent] = field(default_factory=dict[Model, Spent])


def count(counters: Counters, facts: Iterable[Fact]) -> Counters:
    """Return the counters after these facts."""
    for fact in facts:
        counters = _of_tasks(counters, fact) or _of_models(counters, fact) or counters
    return counters


def _of_tasks(c: Counters, fact: Fact) -> Counters | None:
    match fact:
        case SessionBegan():
            return replace(c, sessions=c.sessions + 1)
        case WorkBegan(subtask=True):
            return replace(c, subtasks=c.subtasks + 1)
        case WorkBegan():
            return replace(c, prompts=c.prompts + 1)
        case CompletionAttempted():
            return replace(c, attempted=c.attempted + 1)
        case Completed():
            return replace(c, completed=c.completed + 1)
        case CompletionRefused(code=code):
            return replace(c, refused=_more(c.refused, code))
        case Stopped(why=why):
            return replace(c, stops=_more(c.stops, why))
        case _:
            return None


def _of_models(c: Counters, fact: Fact) -> Counters | None:
    match fact:
        case Used(tool=tool, outcome=outcome, protocol=protocol):
            return replace(c, tools=_more(c.tools, ToolUse(tool, outcome, protocol)))
        case NudgeSent(code=code):
            return replace(c, nudges=_more(c.nudges, code))
        case Lost(usage=usage):
            return replace(c, usage=c.usage + usage)
        case Compacted(usage=usage):
            return replace(c, compactions=c.compactions + 1, usage=c.usage + usage)
        case Answered():
            return _answered(c, fact)
        case _:
            return None


def _answered(c: Counters, fact: Answered) -> Counters:
    spent = c.models.get(fact.model, Spent())
    spent = Spent(
        spent.responses + 1,
        spent.seconds + (fact.at - fact.began) / 1e9,
        spent.usage + fact.usage,
    )
    models = c.models | {fact.model: spent}
    return replace(
        c,
        responses=c.responses + 1,
        retries=c.retries + fact.retries,
        usage=c.usage + fact.usage,
        models=models,
    )


def _more(counts: Mapping[K, int], key: K) -> dict[K, int]:
    return {**counts, key: counts.get(key, 0) + 1}

"""Entries in few words, for tests that tell what happened in a session."""

from collections.abc import Iterable
from typing import TypeAlias

from agent_cli.engine.outcomes import COMPLETION
from agent_cli.engine.state import fold
from agent_cli.engine.task import State
from agent_cli.types.approval import DecidedBy, Decision
from agent_cli.types.effects import Effect, Kind
from agent_cli.types.entries import (
    AssistantSaid,
    CallDecided,
    CallFinished,
    CallStarted,
    Entry,
    SessionStarted,
    TaskStarted,
    UserSaid,
)
from agent_cli.types.messages import AssistantMessage, StopReason, Text, ToolCall, ToolResult
from agent_cli.types.outcomes import Code, Outcome
from agent_cli.types.requests import Protocol
from agent_cli.types.usage import Usage

Told: TypeAlias = Entry | tuple[Entry, ...]

SESSION = SessionStarted(1, "s", "/work", "test/model", Protocol.NATIVE)
BEGINNING: tuple[Entry, ...] = (SESSION, TaskStarted("code"), UserSaid("do it"))


def call(call_id: str, name: str = "read_file", *, complete: bool = True) -> ToolCall:
    return ToolCall(call_id, name, f'{{"path":"{call_id}"}}', complete)


def completion(call_id: str = "done", *, complete: bool = True) -> ToolCall:
    return call(call_id, COMPLETION, complete=complete)


def asked(*calls: str | ToolCall, text: str = "", cost: float | None = None) -> AssistantSaid:
    """The model makes these calls, after this text."""
    made = tuple(call(one) if isinstance(one, str) else one for one in calls)
    words = (Text(text),) if text else ()
    reason = StopReason.CALLS if made else StopReason.END
    return AssistantSaid(AssistantMessage((*words, *made), reason, Usage(cost=cost)))


def cut_off(text: str = "") -> AssistantSaid:
    """The model reaches the token limit in the middle of its text."""
    return AssistantSaid(AssistantMessage((Text(text),), StopReason.LENGTH))


def allowed(call_id: str, target: str = "") -> CallDecided:
    effects = (Effect(Kind.READ, target),) if target else ()
    return CallDecided(call_id, Decision.ALLOW, DecidedBy.POLICY, "", effects)


def denied(call_id: str, *targets: str) -> tuple[Entry, ...]:
    effects = tuple(Effect(Kind.READ, target) for target in targets)
    decided = CallDecided(call_id, Decision.DENY, DecidedBy.POLICY, "", effects)
    return (decided, settled(call_id, Outcome.DENIED, Code.POLICY))


def started(call_id: str, target: str = "", *, effectful: bool = False) -> tuple[Entry, ...]:
    return (allowed(call_id, target), CallStarted(call_id, effectful))


def ran(
    call_id: str, outcome: Outcome = Outcome.OK, code: Code | None = None, content: str = ""
) -> tuple[Entry, ...]:
    """The call is allowed, starts and ends."""
    return (*started(call_id), CallFinished(ToolResult(call_id, outcome, code, content)))


def settled(call_id: str, outcome: Outcome, code: Code | None = None) -> CallFinished:
    """The call gets its result without a start."""
    return CallFinished(ToolResult(call_id, outcome, code))


def accepted(call_id: str = "done", result: str = "it is done") -> tuple[Entry, ...]:
    """The completion runs and the user accepts it."""
    finished = CallFinished(ToolResult(call_id, Outcome.OK, Code.FINISHED), completion=result)
    return (*started(call_id), finished)


def entries_of(told: Iterable[Told]) -> list[Entry]:
    return [entry for one in told for entry in (one if isinstance(one, tuple) else (one,))]


def story(*told: Told) -> State:
    """The state after the user's first words and what is told."""
    return fold([*BEGINNING, *entries_of(told)])

"""Journal entries: facts in the past tense, the only source of state.

A journal line is an `Envelope` in JSON. These structs are a file format.
"""

from typing import TypeAlias

from msgspec import Struct

from agent_cli.types.approval import DecidedBy, Decision
from agent_cli.types.effects import Effect
from agent_cli.types.messages import AssistantMessage, Image, ToolResult
from agent_cli.types.outcomes import Limit, Nudge, Stop
from agent_cli.types.requests import Protocol


class Todo(Struct, frozen=True):
    text: str
    status: str
    """`pending`, `in_progress` or `completed`."""


class SessionStarted(Struct, frozen=True, tag="session_started"):
    format: int
    id: str
    cwd: str
    model: str
    """`provider/name`."""
    protocol: Protocol
    parallel_tool_calls: bool = True
    settings: str = ""
    """Digest of the settings in force."""


class TaskStarted(Struct, frozen=True, tag="task_started"):
    mode: str


class UserSaid(Struct, frozen=True, tag="user_said", omit_defaults=True):
    text: str
    images: tuple[Image, ...] = ()
    environment: str = ""
    """Environment details captured when it was said, so that history never changes later."""


class AssistantSaid(Struct, frozen=True, tag="assistant_said"):
    message: AssistantMessage


class Nudged(Struct, frozen=True, tag="nudged"):
    code: Nudge


class CallDecided(Struct, frozen=True, tag="call_decided", omit_defaults=True):
    call_id: str
    decision: Decision
    by: DecidedBy
    reason: str = ""
    effects: tuple[Effect, ...] = ()


class CallStarted(Struct, frozen=True, tag="call_started", omit_defaults=True):
    call_id: str
    effectful: bool = False
    """Whether it may have changed something if its end is never recorded."""


class CallFinished(Struct, frozen=True, tag="call_finished", omit_defaults=True):
    result: ToolResult
    completion: str | None = None
    """The accepted result of the task, when this call completed it."""


class TodosUpdated(Struct, frozen=True, tag="todos_updated"):
    todos: tuple[Todo, ...]


class ModeSwitched(Struct, frozen=True, tag="mode_switched"):
    mode: str


class RuleGranted(Struct, frozen=True, tag="rule_granted"):
    rule: str
    """An allow rule in the settings' own grammar, for the rest of the session."""


class ParallelSwitched(Struct, frozen=True, tag="parallel_switched"):
    """The user turned several calls per message on or off, in the middle of a session."""

    on: bool


class BudgetStopped(Struct, frozen=True, tag="budget_stopped"):
    limit: Limit


class TaskFinished(Struct, frozen=True, tag="task_finished"):
    result: str


class Interrupted(Struct, frozen=True, tag="interrupted", omit_defaults=True):
    reason: Stop
    detail: str = ""
    partial_text: str = ""
    """Text that had been streamed when the response was cut; kept for the reader, not resent."""


Entry: TypeAlias = (
    SessionStarted
    | TaskStarted
    | UserSaid
    | AssistantSaid
    | Nudged
    | CallDecided
    | CallStarted
    | CallFinished
    | TodosUpdated
    | ModeSwitched
    | RuleGranted
    | ParallelSwitched
    | BudgetStopped
    | TaskFinished
    | Interrupted
)


class Envelope(Struct, frozen=True):
    """One line of a journal: a JSON object whose first member, `hash`, seals the rest.

    `hash` is SHA-256, hexadecimal, over the hash of the line before (64 zeros before the first)
    and the line's JSON without its `hash` member; see `sessions/codec.py`.
    """

    seq: int
    """Counts from 0."""
    at: str
    """ISO 8601, UTC, microseconds."""
    entry: Entry

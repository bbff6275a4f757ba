"""Journal entries: facts in the past tense, the only source of state.

A journal line is an `Envelope` in JSON. These structs are a file format.
"""

from typing import TypeAlias

from msgspec import Struct

from agent_cli.types.approval import ApprovalMode, DecidedBy, Decision, Verdict
from agent_cli.types.effects import Effect
from agent_cli.types.evidence import Check, FileChange, FileRead, FileVersion
from agent_cli.types.messages import AssistantMessage, Image, ToolResult
from agent_cli.types.outcomes import Limit, Nudge, Stop
from agent_cli.types.queued_input import InputQueued, InputUnqueued
from agent_cli.types.requests import Protocol
from agent_cli.types.turn_rules import TurnRules
from agent_cli.types.usage import Usage
from agent_cli.types.user_commands import UserRan


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
    forked_from: str = ""
    """Id of the session whose beginning this one shares."""


class SessionRenamed(Struct, frozen=True, tag="session_renamed"):
    title: str


class TurnRulesSet(Struct, frozen=True, tag="turn_rules_set"):
    """From here on these rules hold; before the first one, the defaults."""

    rules: TurnRules


class TaskStarted(Struct, frozen=True, tag="task_started", omit_defaults=True):
    mode: str
    parent_call_id: str = ""
    """The open call that waits for this task's result; empty for the session's own task."""
    message: str = ""
    """What a subtask is told: its first message."""
    environment: str = ""
    """As in `UserSaid`."""
    todos: tuple[Todo, ...] = ()


class UserSaid(Struct, frozen=True, tag="user_said", omit_defaults=True):
    text: str
    images: tuple[Image, ...] = ()
    environment: str = ""
    """Environment details captured when it was said, so that history never changes later."""
    queued: bool = False
    """It is the first of the queued inputs, delivered now."""


class AssistantSaid(Struct, frozen=True, tag="assistant_said", omit_defaults=True):
    message: AssistantMessage
    seconds: float = 0.0
    """From the first request to the end of the response, retries included."""
    retries: int = 0
    """How often the request was sent again."""


class AttemptLost(Struct, frozen=True, tag="attempt_lost", omit_defaults=True):
    """A response broke off; what it used is estimated, and may be billed all the same."""

    usage: Usage
    seconds: float = 0.0
    """If it was not asked for again: how long that took, earlier attempts included."""


class Nudged(Struct, frozen=True, tag="nudged", omit_defaults=True):
    code: Nudge
    detail: str = ""
    """What else the model is told; see `NudgeMessage`."""


class CallDecided(Struct, frozen=True, tag="call_decided", omit_defaults=True):
    call_id: str
    decision: Decision
    by: DecidedBy
    reason: str = ""
    effects: tuple[Effect, ...] = ()


class VerdictGiven(Struct, frozen=True, tag="verdict_given"):
    """The user was asked about a call together with an earlier one of its message.

    It counts when the call comes up, if that would then do what was shown.
    """

    call_id: str
    verdict: Verdict
    shown: str
    """Hash of what was shown."""


class CallStarted(Struct, frozen=True, tag="call_started", omit_defaults=True):
    call_id: str
    effectful: bool = False
    """Whether it may have changed something if its end is never recorded."""


class CallFinished(Struct, frozen=True, tag="call_finished", omit_defaults=True):
    result: ToolResult
    completion: str | None = None
    """The accepted result of the task, when this call completed it."""
    seconds: float = 0.0
    """For which it ran."""
    read: tuple[FileRead, ...] = ()
    """Files that it gave the model to read."""
    said: str = ""
    """Feedback of the user on a result, which is in the content in other words around it."""


class PreImageKept(Struct, frozen=True, tag="pre_image_kept"):
    """The call may change the file; what it was is kept."""

    call_id: str
    path: str
    before: FileVersion | None
    """None if there was no file."""


class FilesChanged(Struct, frozen=True, tag="files_changed", omit_defaults=True):
    """What the call that runs has changed."""

    call_id: str
    changes: tuple[FileChange, ...]
    missed: tuple[str, ...] = ()
    """Paths that it changed and that cannot be brought back."""


class FilesRestored(Struct, frozen=True, tag="files_restored", omit_defaults=True):
    """Changes were taken back, or made again, on disk."""

    changes: tuple[FileChange, ...]
    """From what was found to what was put there."""
    why: str
    """`undo`, `redo` or `rollback`."""
    calls: tuple[str, ...] = ()
    """Ids of the calls whose changes they were."""
    conflicts: tuple[str, ...] = ()
    """Paths that were left alone, because they are not what the calls had left."""


class CheckRun(Struct, frozen=True, tag="check_run"):
    """A check ran because the call wants to complete the task."""

    call_id: str
    check: Check


class FailuresWaived(Struct, frozen=True, tag="failures_waived"):
    """The user lets the failures so far stand."""


class TodosUpdated(Struct, frozen=True, tag="todos_updated"):
    todos: tuple[Todo, ...]


class ModeSwitched(Struct, frozen=True, tag="mode_switched"):
    mode: str


class ModelSwitched(Struct, frozen=True, tag="model_switched"):
    """From here on another model is asked."""

    model: str
    """As in `SessionStarted`."""


class RuleGranted(Struct, frozen=True, tag="rule_granted"):
    rule: str
    """An allow rule in the settings' own grammar, for the rest of the session."""


class ApprovalSwitched(Struct, frozen=True, tag="approval_switched"):
    """The user decided how much goes without a question, from the next call on."""

    mode: ApprovalMode


class ParallelSwitched(Struct, frozen=True, tag="parallel_switched"):
    """The user turned several calls per message on or off, in the middle of a session."""

    on: bool


class HistoryCompacted(Struct, frozen=True, tag="history_compacted", omit_defaults=True):
    """All but the last `kept` messages of the task were replaced by a text."""

    text: str
    """What stands in their place: the user's words, a summary, and what the task can show."""
    kept: int
    by: str
    """`user`, or `window` when it was nearly full."""
    asked: bool = False
    """Whether the model was asked for the summary."""
    fell_back: bool = False
    """The model was asked and gave no summary that could be used."""
    summary: str = ""
    """The part of the text that a model wrote, now or when this was compacted before."""
    usage: Usage = Usage()
    """Of asking it."""
    seconds: float = 0.0
    """For which it was asked."""
    tokens_before: int = 0
    """Estimated, as is the next one."""
    tokens_after: int = 0


class Rewound(Struct, frozen=True, tag="rewound"):
    """The conversation goes on as if only the first `kept` messages of the user were said."""

    kept: int


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
    | SessionRenamed
    | TurnRulesSet
    | TaskStarted
    | UserSaid
    | UserRan
    | InputQueued
    | InputUnqueued
    | AssistantSaid
    | AttemptLost
    | Nudged
    | CallDecided
    | VerdictGiven
    | CallStarted
    | CallFinished
    | PreImageKept
    | FilesChanged
    | FilesRestored
    | CheckRun
    | FailuresWaived
    | TodosUpdated
    | ModeSwitched
    | ModelSwitched
    | RuleGranted
    | ApprovalSwitched
    | ParallelSwitched
    | HistoryCompacted
    | Rewound
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

"""The values that the fold makes: a task's conversation and the session around it."""

from msgspec import Struct

from agent_cli.types.approval import ApprovalMode
from agent_cli.types.entries import (
    CallDecided,
    CallStarted,
    PreImageKept,
    SessionStarted,
    Todo,
    VerdictGiven,
)
from agent_cli.types.errors import InvalidTransitionError
from agent_cli.types.evidence import Evidence, FileChange
from agent_cli.types.messages import Recorded, ToolCall
from agent_cli.types.outcomes import Code, Limit, Outcome, Stop
from agent_cli.types.turn_rules import TurnRules
from agent_cli.types.usage import Usage
from agent_cli.types.user_commands import UserRan


class Last(Struct, frozen=True):
    """The last call that ran, with its result: what repetition is measured by."""

    name: str
    arguments: str
    outcome: Outcome
    content: str


class Answer(Struct, frozen=True):
    """What the user said in the result of a call."""

    call_id: str
    text: str


class Spent(Struct, frozen=True):
    """What a session has used up."""

    usage: Usage = Usage()
    turns: int = 0
    """Model responses."""
    seconds: float = 0.0
    """Of models and calls at work; waiting for a person does not count."""


class Task(Struct, frozen=True):
    """One conversation with the model."""

    mode: str
    parent_call_id: str = ""
    """The call of the task below that waits for this one's result."""
    began: Spent = Spent()
    """What the session had used up when the task started."""
    subtasks: int = 0
    """How many it has started."""
    messages: tuple[Recorded, ...] = ()
    said: tuple[str, ...] = ()
    """The user's own words so far, which nothing removes from the conversation."""
    answers: tuple[Answer, ...] = ()
    """What they said in results; nothing removes that either."""
    open_calls: tuple[ToolCall, ...] = ()
    """Calls of the last assistant message that have no result yet, in the model's order."""
    answered: int = 0
    """How many calls of the last assistant message have their result."""
    verdicts: tuple[VerdictGiven, ...] = ()
    """What the user has said ahead of open calls."""
    decided: CallDecided | None = None
    started: CallStarted | None = None
    kept: tuple[PreImageKept, ...] = ()
    """What was kept for the call that has started, before it ran."""
    blocked: bool = False
    """A call of the last assistant message did not succeed: no completion in this message."""
    failed: bool = False
    """A call of the last assistant message failed, other than a completion."""
    skipping: Code | None = None
    """Why the remaining calls of the last assistant message do not run."""
    changed: tuple[FileChange, ...] = ()
    """What the calls of the last assistant message changed, in order, and still stands."""
    restored: tuple[str, ...] = ()
    """Files that the user has undone or redone since they last spoke."""
    ran: tuple[UserRan, ...] = ()
    """Commands that they have run themselves since then."""
    unresolved: tuple[tuple[str, str], ...] = ()
    """(tool, target) of failed calls that no later call on the same target made good."""
    evidence: Evidence = Evidence()
    completion: str | None = None
    """The accepted result, until `TaskFinished` says that the task is over."""
    check_failed: bool = False
    """The last completion that was tried did not pass its checks."""
    result: str | None = None
    todos: tuple[Todo, ...] = ()
    nudges: int = 0
    """Messages in a row that led nowhere: nudged, or with nothing but cut-off calls."""
    barren: int = 0
    """Messages in a row whose calls all failed."""
    refused: int = 0
    """Messages in a row whose completion was refused."""
    used_tool: bool = False
    summary: str = ""
    """What a model wrote of the messages that were replaced."""
    compacted: bool = False
    """The model has not spoken since the history was compacted."""
    stop: Stop | None = None
    limit: Limit | None = None
    last: Last | None = None
    repeats: int = 0
    """How often `last` happened in a row, result included."""
    denials: tuple[tuple[str, str], ...] = ()
    """(tool, target) of denied calls that no later call of the same kind made good."""


class State(Struct, frozen=True):
    session: SessionStarted | None = None
    tasks: tuple[Task, ...] = ()
    """The session's own task, and the subtasks that run on top of it."""
    model: str = ""
    """Which is asked, as `provider/name`."""
    title: str = ""
    turn_rules: TurnRules = TurnRules()
    granted: tuple[str, ...] = ()
    approval: ApprovalMode = ApprovalMode.ASK
    planned: bool = False
    """The session was in plan mode at some time; the model may have to hear that it is over."""
    parallel: bool = True
    queued: tuple[str, ...] = ()
    """What the user has said meanwhile, to be delivered."""
    messages_said: int = 0
    """How many messages of the user the conversation holds."""
    points: tuple[tuple[Task, ...], ...] = ()
    """The tasks as they were before each of the last ones; none from before a compaction."""
    unsayable: tuple[str, ...] = ()
    """What those last messages said, in the user's words."""
    ids: frozenset[str] = frozenset()
    """Every call id of the session."""
    used: Spent = Spent()

    @property
    def task(self) -> Task:
        """The task that runs."""
        if not self.tasks:
            raise InvalidTransitionError("no task has started")
        return self.tasks[-1]

    @property
    def speaker(self) -> str:
        """The model that is asked, as messages name it: not at all if it is the first."""
        return "" if self.session is None or self.model == self.session.model else self.model

    @property
    def turns(self) -> int:
        """Model responses so far."""
        return self.used.turns

    @property
    def spent(self) -> Usage:
        return self.used.usage

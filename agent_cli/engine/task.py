"""The values that the fold makes: a task's conversation and the session around it."""

from msgspec import Struct

from agent_cli.types.entries import CallDecided, CallStarted, SessionStarted, Todo
from agent_cli.types.errors import InvalidTransitionError
from agent_cli.types.messages import Recorded, ToolCall
from agent_cli.types.outcomes import Code, Limit, Outcome, Stop
from agent_cli.types.usage import Usage


class Last(Struct, frozen=True):
    """The last call that ran, with its result: what repetition is measured by."""

    name: str
    arguments: str
    outcome: Outcome
    content: str


class Task(Struct, frozen=True):
    """One conversation with the model."""

    mode: str
    messages: tuple[Recorded, ...] = ()
    open_calls: tuple[ToolCall, ...] = ()
    """Calls of the last assistant message that have no result yet, in the model's order."""
    answered: int = 0
    """How many calls of the last assistant message have their result."""
    decided: CallDecided | None = None
    started: CallStarted | None = None
    blocked: bool = False
    """A call of the last assistant message did not succeed: no completion in this message."""
    skipping: Code | None = None
    """Why the remaining calls of the last assistant message do not run."""
    completion: str | None = None
    """The accepted result, until `TaskFinished` says that the task is over."""
    result: str | None = None
    todos: tuple[Todo, ...] = ()
    nudges: int = 0
    """Messages in a row that led nowhere: nudged, or with nothing but cut-off calls."""
    barren: int = 0
    """Messages in a row whose calls all failed."""
    refused: int = 0
    """Messages in a row whose completion was refused."""
    used_tool: bool = False
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
    granted: tuple[str, ...] = ()
    parallel: bool = True
    ids: frozenset[str] = frozenset()
    """Every call id of the session."""
    spent: Usage = Usage()
    turns: int = 0
    """Model responses so far."""

    @property
    def task(self) -> Task:
        """The task that runs."""
        if not self.tasks:
            raise InvalidTransitionError("no task has started")
        return self.tasks[-1]

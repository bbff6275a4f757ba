"""What telemetry knows of a session: times, numbers, and words from closed lists.

Everything that is counted or exported is made of these values, so nothing that a person, a model,
a tool or a provider wrote can get into it. A name that is on no list is told by its kind.
"""

import re
from collections.abc import Mapping
from datetime import datetime
from enum import StrEnum
from typing import TypeAlias

from msgspec import Struct

from agent_cli.types.messages import StopReason
from agent_cli.types.outcomes import Code, Limit, Nudge, Outcome, Stop
from agent_cli.types.requests import Protocol
from agent_cli.types.usage import Usage

OTHER = "other"
"""A provider or a model that is not one of those that everybody can look up."""
CUSTOM = "custom"
"""A tool that is not ours: a plugin's, or one that the model made up."""
MCP = "mcp"
"""A tool of an MCP server."""

_OUR_ID = re.compile(r"\d{8}-\d{6}-[0-9a-f]{8}")
_OF_SERVERS = "mcp__"
_DATE = re.compile(r"-(\d{8}|\d{4}-\d{2}-\d{2})$")
"""Ends the name of a model that never changes."""


class Model(Struct, frozen=True):
    provider: str = OTHER
    name: str = OTHER


class Vocabulary(Struct, frozen=True):
    """The names that may be told."""

    tools: frozenset[str]
    """The built-in ones."""
    models: Mapping[str, frozenset[str]]
    """By provider; a provider without any is told all the same."""

    def tool(self, name: str) -> str:
        if name in self.tools:
            return name
        return MCP if name.startswith(_OF_SERVERS) else CUSTOM

    def model(self, full_name: str) -> Model:
        """Return what may be told of `provider/name`, or of `replay:FILE`."""
        provider, _, name = full_name.replace(":", "/", 1).partition("/")
        known = self.models.get(provider)
        if known is None:
            return Model()
        plain = _DATE.sub("", name)
        return Model(provider, plain if plain in known else name if name in known else OTHER)

    def conversation(self, session_id: str) -> str:
        """Return the id if it is one of our own making: a time and a random number."""
        return session_id if _OUR_ID.fullmatch(session_id) else ""


class Ending(StrEnum):
    """How a stretch of work ended."""

    COMPLETED = "completed"
    HANDED_BACK = "handed_back"
    INTERRUPTED = "interrupted"
    LIMIT = "limit"


class SessionBegan(Struct, frozen=True):
    at: int


class WorkBegan(Struct, frozen=True):
    """The user asked for something, or a subtask started."""

    at: int
    conversation: str = ""
    model: Model = Model()
    subtask: bool = False


class WorkEnded(Struct, frozen=True):
    """The work that began last is over."""

    at: int
    how: Ending


class Answered(Struct, frozen=True):
    """A model's response arrived."""

    at: int
    began: int
    model: Model
    protocol: Protocol
    stop: StopReason
    usage: Usage
    retries: int = 0
    conversation: str = ""


class Lost(Struct, frozen=True):
    """A response broke off on the way."""

    at: int
    usage: Usage


class Compacted(Struct, frozen=True):
    at: int
    usage: Usage


class Used(Struct, frozen=True):
    """A call of a tool has its result."""

    at: int
    began: int | None
    """None: it never ran."""
    tool: str
    protocol: Protocol
    outcome: Outcome
    code: Code | None
    conversation: str = ""


class CompletionAttempted(Struct, frozen=True):
    """A completion passed the guard; what becomes of it is not known yet."""

    at: int


class CompletionRefused(Struct, frozen=True):
    """The guard, a check or a hook stood against it."""

    at: int
    code: Code


class Completed(Struct, frozen=True):
    """A completion was accepted."""

    at: int


class NudgeSent(Struct, frozen=True):
    at: int
    code: Nudge


class Stopped(Struct, frozen=True):
    """Work was interrupted, or a budget is used up."""

    at: int
    why: Stop | Limit


Fact: TypeAlias = (
    SessionBegan
    | WorkBegan
    | WorkEnded
    | Answered
    | Lost
    | Compacted
    | Used
    | CompletionAttempted
    | CompletionRefused
    | Completed
    | NudgeSent
    | Stopped
)
"""`at` and `began` are nanoseconds since the epoch."""


def made(session_id: str) -> int:
    """Return when a session of that id was made, to the second; 0 for an id that is not ours."""
    if not _OUR_ID.fullmatch(session_id):
        return 0
    day, clock = session_id[:8], session_id[9:15]
    return moment(f"{day}T{clock}Z")


def moment(at: str) -> int:
    """Return a journal's time in nanoseconds; 0 for what is no time."""
    try:
        when = datetime.fromisoformat(at)
        return int(when.replace(microsecond=0).timestamp()) * 10**9 + when.microsecond * 1000
    except (ValueError, OverflowError):
        return 0

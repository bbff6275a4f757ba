"""A session as one object, for people and programs that know nothing of journals.

Turns hold what the model answered, answers hold calls, and a call that started a subtask holds
that task with turns of its own. What was unsaid later is there and marked `undone`. Whatever the
entries say, an object comes of them: a session that contradicts itself can be looked at too.

The object keeps the journal itself, so nothing is lost and it can be imported again.
"""

from msgspec import Struct

from agent_cli.types.entries import Envelope
from agent_cli.types.evidence import Check
from agent_cli.types.usage import Usage

EXPORT_FORMAT = 1


class Call(Struct, frozen=True, omit_defaults=True):
    id: str
    name: str
    arguments: str
    """JSON text as the model wrote it."""
    complete: bool = True
    """False: it was cut off and never ran."""
    decision: str = ""
    """`allow` or `deny`; empty if it was never decided."""
    decided_by: str = ""
    reason: str = ""
    outcome: str = ""
    """Empty: it has no result."""
    code: str = ""
    content: str = ""
    images: int = 0
    exit_code: int | None = None
    seconds: float = 0.0
    completion: str | None = None
    changed: tuple[str, ...] = ()
    """Paths of files."""
    checks: tuple[Check, ...] = ()
    task: "Task | None" = None
    """The subtask that answered it."""


class Answer(Struct, frozen=True, omit_defaults=True, tag="answer"):
    """What the model said in one response."""

    at: str
    text: str = ""
    reasoning: str = ""
    calls: tuple[Call, ...] = ()
    stop_reason: str = ""
    usage: Usage = Usage()
    seconds: float = 0.0
    undone: bool = False


class Event(Struct, frozen=True, omit_defaults=True, tag="event"):
    """Whatever else happened."""

    at: str
    kind: str
    """The entry's own name: `history_compacted`, `files_restored`, `rewound`, `interrupted`, …"""
    text: str = ""
    """What it says, in its own words: a summary, paths a line each, a mode, a reason."""
    undone: bool = False


class Turn(Struct, frozen=True, omit_defaults=True):
    """A message and what followed until the next."""

    number: int = 0
    """Counts the user's messages that hold, from 1; 0 if nobody has spoken, or a task has."""
    at: str = ""
    text: str = ""
    images: int = 0
    queued: bool = False
    steps: tuple[Answer | Event, ...] = ()
    undone: bool = False


class Task(Struct, frozen=True, omit_defaults=True):
    mode: str
    turns: tuple[Turn, ...] = ()


class Facts(Struct, frozen=True):
    """About the session."""

    id: str
    title: str
    cwd: str
    model: str
    protocol: str
    forked_from: str
    started: str
    ended: str
    """When the last entry was written."""
    responses: int
    usage: Usage
    damage: str
    """What is wrong behind the part that could be read; empty if nothing is."""


class Export(Struct, frozen=True):
    export_format: int
    session: Facts
    task: Task
    journal: tuple[Envelope, ...]
    last_hash: str
    """Of the journal's last line: it proves all of them."""

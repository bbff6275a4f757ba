"""What a frontend hears: deltas of a stream, appended entries, progress, notices."""

from typing import TypeAlias

from msgspec import Struct

from agent_cli.types.entries import Entry
from agent_cli.types.evidence import Evidence
from agent_cli.types.messages import StopReason, ToolCall
from agent_cli.types.requests import Protocol
from agent_cli.types.usage import Usage


class TextDelta(Struct, frozen=True, tag="text_delta"):
    text: str


class ReasoningDelta(Struct, frozen=True, tag="reasoning_delta", omit_defaults=True):
    text: str
    opaque: str = ""
    """Closes the block: what must be returned unchanged. A further delta begins a new block."""


class ToolCallBegin(Struct, frozen=True, tag="call_begin", omit_defaults=True):
    index: int
    """Identifies the call within this stream; not necessarily its place."""
    id: str
    """As the provider wrote it, possibly empty, repeated or illegal."""
    name: str
    opaque: str = ""


class ToolCallDelta(Struct, frozen=True, tag="call_delta"):
    index: int
    arguments: str
    """The next piece of the arguments' JSON text."""


class ToolCallEnd(Struct, frozen=True, tag="call_end", omit_defaults=True):
    """The call's arguments are complete; a call without one was cut off."""

    index: int
    opaque: str = ""
    """Replaces the opaque value of the begin, when not empty."""


class MessageEnd(Struct, frozen=True, tag="message_end"):
    """The stream ended cleanly; nothing follows."""

    stop_reason: StopReason
    usage: Usage


class Retrying(Struct, frozen=True, tag="retrying", omit_defaults=True):
    """What was streamed so far is void; the request is sent again after `delay` seconds."""

    attempt: int
    delay: float
    reason: str
    left: float | None = None
    """Seconds still to wait, told once a second; None when it is told for the first time."""


Delta: TypeAlias = (
    TextDelta | ReasoningDelta | ToolCallBegin | ToolCallDelta | ToolCallEnd | MessageEnd | Retrying
)


class SessionOpened(Struct, frozen=True, tag="session_opened", omit_defaults=True):
    """Which session is watched from now on; comes once, before any work."""

    id: str
    cwd: str
    model: str
    """The one that is asked from now on: `provider/name`."""
    protocol: Protocol
    parallel_tool_calls: bool
    mode: str
    tools: tuple[str, ...]
    resumed: bool = False
    turns: int = 0
    """Model responses before now."""
    open_calls: tuple[ToolCall, ...] = ()
    """Calls that were left without a result; they are settled next, or wait for a subtask."""
    subtasks: tuple[str, ...] = ()
    """Ids of the calls that wait for a subtask, the one that runs last."""


class Appended(Struct, frozen=True, tag="appended"):
    seq: int
    at: str
    entry: Entry


class Progress(Struct, frozen=True, tag="progress"):
    call_id: str
    text: str
    """Output of a running call, as it comes; untrusted."""


class Notice(Struct, frozen=True, tag="notice"):
    """Something a person should know, in their language; not part of the conversation."""

    message: str


class CompletionResult(Struct, frozen=True, tag="completion_result", omit_defaults=True):
    """The model says that the task is done, and the turn has earned it; not accepted yet."""

    call_id: str
    result: str
    command: str | None = None
    subtask: bool = False
    """It is a subtask that is done, and another task goes on after it."""
    evidence: Evidence = Evidence()
    """What the task can show for itself."""


Event: TypeAlias = Delta | SessionOpened | Appended | Progress | Notice | CompletionResult

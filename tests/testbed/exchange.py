"""One request as it arrived, and what became of its answer."""

from dataclasses import dataclass, field
from threading import Event
from typing import Any

ANTHROPIC_MESSAGES = "anthropic_messages"
OPENAI_CHAT = "openai_chat"
OPENAI_RESPONSES = "openai_responses"
WIRES = (ANTHROPIC_MESSAGES, OPENAI_CHAT, OPENAI_RESPONSES)


@dataclass(frozen=True)
class Exchange:
    """A valid request; refused ones are only counted in `ModelServer.violations`."""

    number: int
    """Its place among the requests, from 0."""
    wire: str
    path: str
    headers: dict[str, str]
    """Names in lower case."""
    body: dict[str, Any]
    raw: bytes
    at: float
    """When it was complete, by `time.monotonic()`."""
    gone: Event = field(default_factory=Event)
    """Set when the client went away before the answer was complete."""
    answered: Event = field(default_factory=Event)
    """Set when the whole answer, with its faults, was sent."""

    @property
    def streams(self) -> bool:
        return self.body.get("stream") is True

"""How many tokens a text has: a rule of thumb, corrected by what providers report."""

from msgspec import Struct

from agent_cli.types.messages import (
    AssistantMessage,
    Message,
    NudgeMessage,
    Reasoning,
    Recorded,
    Text,
    ToolCall,
    ToolResult,
    UserMessage,
)
from agent_cli.types.requests import ModelRequest
from agent_cli.types.usage import Usage
from agent_cli.wire.growing import Growing

BYTES_PER_TOKEN = 4

_LEAST, _MOST = 0.25, 4.0
"""A report further off than this measured something else, such as images."""


def estimate(size: int) -> int:
    """Return the tokens of `size` bytes of text, rounded up."""
    return -(-size // BYTES_PER_TOKEN)


IMAGE = 1600 * BYTES_PER_TOKEN
"""What an image counts for: the most that the providers' own rules make of one."""


NUDGE = 500
"""What the sentence of a nudge counts for."""


class Sizes(Struct, frozen=True):
    """About how many bytes of text each part of a request holds."""

    system: int
    tools: int
    said: int
    """By the user, by the model, and by us to the model."""
    results: int

    @property
    def whole(self) -> int:
        return self.system + self.tools + self.said + self.results


class _Measured(Struct):
    said: int = 0
    results: int = 0


def sizes(request: ModelRequest, known: Growing | None = None) -> Sizes:
    """Measure the request; `known` is what remembers the messages of the one before."""
    measured = (known or Growing()).of(request.messages, _Measured, _measure)
    return Sizes(
        len(request.system),
        sum(len(tool.description) + len(bytes(tool.schema)) for tool in request.tools),
        measured.said,
        measured.results,
    )


def _measure(measured: _Measured, message: Message) -> None:
    if isinstance(message, ToolResult):
        measured.results += message_size(message)
    else:
        measured.said += message_size(message)


def size(request: ModelRequest) -> int:
    """Return about how many bytes of text the request holds."""
    return sizes(request).whole


def message_size(message: Recorded) -> int:
    """Return about how many bytes of text the message holds; images count as text, too."""
    match message:
        case NudgeMessage(detail=detail):
            return NUDGE + len(detail)
        case UserMessage(text, images):
            return len(text) + IMAGE * len(images)
        case ToolResult(content=content, images=images):
            return len(content) + IMAGE * len(images)
        case AssistantMessage(blocks):
            return sum(map(_block_size, blocks))


def _block_size(block: Text | Reasoning | ToolCall) -> int:
    match block:
        case Text(text):
            return len(text)
        case Reasoning(text, opaque):
            return len(text) + len(opaque)
        case ToolCall(name=name, arguments=arguments):
            return len(name) + len(arguments)


class Calibration(Struct, frozen=True):
    """How far the rule of thumb is off for the model in use."""

    factor: float = 1.0
    observed: bool = False

    def tokens(self, size: int) -> int:
        """Return the tokens of `size` bytes, corrected."""
        return round(estimate(size) * self.factor)

    def after(self, size: int, usage: Usage) -> "Calibration":
        """Learn from a request of `size` bytes and what the provider counted.

        The first report counts in full, later ones by half, so that one odd request passes.
        """
        if size <= 0 or usage.estimated or usage.input_tokens <= 0:
            return self
        measured = min(max(usage.input_tokens / estimate(size), _LEAST), _MOST)
        factor = (self.factor + measured) / 2 if self.observed else measured
        return Calibration(factor, observed=True)


class Window(Struct, frozen=True):
    """What a model can take in, in tokens, and how much of that a conversation may fill."""

    tokens: int | None = None
    """None: nobody knows."""
    max_output: int | None = None
    compact_at: float = 0.85
    automatic: bool = True

    @property
    def reserved(self) -> int:
        """Return what is left free for the answer; never more than half."""
        wanted = self.max_output or DEFAULT_OUTPUT
        return wanted if self.tokens is None else min(wanted, self.tokens // 2)

    @property
    def full(self) -> int | None:
        """Return how large a request may become before the conversation is compacted."""
        if self.tokens is None:
            return None
        return min(round(self.tokens * self.compact_at), self.tokens - self.reserved)


DEFAULT_OUTPUT = 8192
"""What an answer may have where nobody says how long it can be."""

"""How many tokens a text has: a rule of thumb, corrected by what providers report."""

from msgspec import Struct

from agent_cli.types.messages import (
    AssistantMessage,
    Message,
    Reasoning,
    Text,
    ToolCall,
    ToolResult,
    UserMessage,
)
from agent_cli.types.requests import ModelRequest
from agent_cli.types.usage import Usage

BYTES_PER_TOKEN = 4

_LEAST, _MOST = 0.25, 4.0
"""A report further off than this measured something else, such as images."""


def estimate(size: int) -> int:
    """Return the tokens of `size` bytes of text, rounded up."""
    return -(-size // BYTES_PER_TOKEN)


IMAGE = 1600 * BYTES_PER_TOKEN
"""What an image counts for: the most that the providers' own rules make of one."""


def size(request: ModelRequest) -> int:
    """Return about how many bytes of text the request holds."""
    tools = sum(len(tool.description) + len(bytes(tool.schema)) for tool in request.tools)
    return len(request.system) + tools + sum(map(message_size, request.messages))


def message_size(message: Message) -> int:
    """Return about how many bytes of text the message holds; images count as text, too."""
    match message:
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

"""Messages of a conversation, independent of any wire format."""

from enum import StrEnum
from typing import TypeAlias

from msgspec import Struct

from agent_cli.types.outcomes import Code, Nudge, Outcome
from agent_cli.types.usage import Usage


class StopReason(StrEnum):
    """Why the model stopped; every codec maps its vendor's word to one of these."""

    END = "end"
    CALLS = "calls"
    LENGTH = "length"
    REFUSAL = "refusal"


class Text(Struct, frozen=True, tag="text"):
    text: str


class Reasoning(Struct, frozen=True, tag="reasoning", omit_defaults=True):
    text: str
    opaque: str = ""
    """JSON of whatever the provider must get back unchanged (signature, encrypted content);
    written and read by the codec that made it, and by no one else."""


class ToolCall(Struct, frozen=True, tag="call", omit_defaults=True):
    id: str
    """Unique in the session and legal on every wire; made by `wire/accumulate.py`."""
    name: str
    arguments: str
    """JSON text as the model wrote it, byte for byte; parsed once, at dispatch."""
    complete: bool = True
    """False when the stream or the token limit cut the call off: it is never run."""
    opaque: str = ""
    """What the codec must return unchanged: an item id, a signature, an XML call's own text."""


Block: TypeAlias = Text | Reasoning | ToolCall


class Image(Struct, frozen=True, tag="image"):
    media_type: str
    data: str
    """Base64, without line breaks."""


class UserMessage(Struct, frozen=True, tag="user", omit_defaults=True):
    text: str
    images: tuple[Image, ...] = ()


class AssistantMessage(Struct, frozen=True, tag="assistant", omit_defaults=True):
    blocks: tuple[Block, ...]
    """In the order the model produced them."""
    stop_reason: StopReason = StopReason.END
    usage: Usage = Usage()
    by: str = ""
    """The model that said it, if that is not the session's first; filled in by the fold."""

    @property
    def calls(self) -> tuple[ToolCall, ...]:
        return tuple(block for block in self.blocks if isinstance(block, ToolCall))

    @property
    def text(self) -> str:
        return "".join(block.text for block in self.blocks if isinstance(block, Text))


class ToolResult(Struct, frozen=True, tag="result", omit_defaults=True):
    call_id: str
    outcome: Outcome
    code: Code | None = None
    content: str = ""
    """What the tool said; empty when `code` says all."""
    images: tuple[Image, ...] = ()
    exit_code: int | None = None
    """Of a command that ran to its end."""

    @property
    def is_error(self) -> bool:
        """Whether the wire marks it as an error: everything but ok."""
        return self.outcome is not Outcome.OK


class NudgeMessage(Struct, frozen=True, tag="nudge", omit_defaults=True):
    """The place in the conversation where the model was told to go on."""

    code: Nudge
    detail: str = ""
    """What else it is told, put after the code's sentence."""


Message: TypeAlias = UserMessage | AssistantMessage | ToolResult
"""What a codec encodes."""

Recorded: TypeAlias = UserMessage | AssistantMessage | ToolResult | NudgeMessage
"""What a task holds; `context/request.py` turns it into `Message`s."""

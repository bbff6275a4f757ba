"""What the model is asked, independent of any wire format."""

from enum import StrEnum

from msgspec import Raw, Struct

from agent_cli.types.messages import Message


class Protocol(StrEnum):
    """How the model calls tools; decided once per session and never guessed."""

    NATIVE = "native"
    XML = "xml"


class ToolSpec(Struct, frozen=True):
    name: str
    description: str
    schema: Raw
    """JSON Schema of the arguments, an object."""
    strict: bool = False
    """The provider is asked to hold the model to the schema; see `wire/strict_schema.py`."""
    example: str = ""
    """Arguments of one call, a JSON text, for catalogues that show one; empty for none."""


class ModelRequest(Struct, frozen=True, omit_defaults=True):
    model: str
    """The provider's own name of the model, without our provider prefix."""
    system: str
    messages: tuple[Message, ...]
    tools: tuple[ToolSpec, ...] = ()
    max_output: int = 0
    """Tokens; 0 leaves it to the codec's default (Anthropic demands a number)."""
    parallel_tool_calls: bool | None = None
    """None sends nothing; True or False is sent in the wire's own spelling."""
    session_id: str = ""
    """A stable key for prompt caches; never anything personal."""

"""What a call is about to do to the world.

Modes, policy, the approval card and completion scope all read the one list that
`Tool.effects` returns.
"""

from enum import StrEnum

from msgspec import Struct


class Kind(StrEnum):
    """What a tool or an effect does. Tools of kind `ALWAYS` are there in every mode."""

    READ = "read"
    WRITE = "write"
    EXECUTE = "execute"
    NETWORK = "network"
    MCP = "mcp"
    MODE = "mode"
    ASK = "ask"
    ALWAYS = "always"


class Effect(Struct, frozen=True, omit_defaults=True):
    kind: Kind
    target: str
    """A path relative to the workspace root where there is one, a command line, a host."""
    outside: bool = False
    """The target lies outside the workspace roots."""
    protected: bool = False
    """The target's name is protected: writing it asks even where writing is allowed."""


def changes_the_world(effects: tuple[Effect, ...]) -> bool:
    """Whether a record of the start must be durable before the call runs."""
    return any(effect.kind in _EFFECTFUL for effect in effects)


_EFFECTFUL = frozenset({Kind.WRITE, Kind.EXECUTE, Kind.NETWORK, Kind.MCP})

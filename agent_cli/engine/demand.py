"""How the fold refuses an entry that contradicts what came before."""

from agent_cli.types.errors import InvalidTransitionError


def demand(condition: bool, message: str) -> None:  # noqa: FBT001 - reads like assert
    """Raise InvalidTransitionError unless the condition holds."""
    if not condition:
        raise InvalidTransitionError(message)

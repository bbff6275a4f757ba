"""Changes of a file as the tools that edit show them before they are made."""

from agent_cli.tools._text import diff


def unified(path: str, before: str, after: str) -> str:
    """Return the unified diff."""
    return diff(path, before, after).unified

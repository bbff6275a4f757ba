"""The modes that a call can name."""

from agent_cli.tools.base import ToolContext
from agent_cli.types.errors import ToolError
from agent_cli.types.outcomes import Code


def known_mode(slug: str, context: ToolContext) -> str:
    """Return the mode's slug; raises ToolError if there is no such mode."""
    slug = slug.strip()
    modes = context.services.modes
    if slug not in modes:
        raise ToolError(
            f"there is no mode {slug!r}; choose one of: {', '.join(modes)}", Code.INVALID_ARGUMENTS
        )
    return slug

"""The modes that come with the product, by slug."""

from agent_cli.context.modes import Mode, Modes, modes


def mode(slug: str) -> Mode:
    return Modes(modes()).find(slug)

"""`/editor`: the next message is written in an editor (also Ctrl+G)."""

from agent_cli.frontends.terminal.commands.base import Answer, Command, Draft, Here
from agent_cli.frontends.terminal.edited import edited


async def run(here: Here, argument: str) -> Answer:
    """Open it with what stands behind the command; what comes back is the draft."""
    return Draft(await edited(argument))


COMMAND = Command(
    name="editor",
    help="write the next message in $VISUAL or $EDITOR (also Ctrl+G)",
    hint="[WORDS]",
    run=run,
)

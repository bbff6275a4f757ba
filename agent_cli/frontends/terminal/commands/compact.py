"""`/compact`: makes room in the model's window."""

from agent_cli.frontends.terminal.commands.base import Answer, Command, Here
from agent_cli.i18n.catalog import say


async def run(here: Here, argument: str) -> Answer:
    """Compact the conversation; what became of it is shown by whoever listens."""
    if await here.agent.compaction.asked(argument):
        return ""
    return say("there is nothing to be gained by compacting now")


COMMAND = Command(
    name="compact",
    help="replace the older part of the conversation by a summary",
    hint="[what matters]",
    run=run,
)

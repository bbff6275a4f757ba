"""`/clear`: a new session in the same place; the one that is left stays as it is."""

from agent_cli.frontends.terminal.commands.base import Answer, Command, Elsewhere, Here, Leave


def run(here: Here, argument: str) -> Answer:
    return Leave(Elsewhere())


COMMAND = Command(
    name="clear",
    aliases=("new",),
    help="begin a new session; this one is kept, and /resume goes back to it",
    run=run,
)

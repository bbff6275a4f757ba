"""`/exit`: the way out."""

from agent_cli.frontends.terminal.commands.base import Answer, Command, Here, Leave


def run(here: Here, argument: str) -> Answer:
    return Leave()


COMMAND = Command(name="exit", aliases=("quit",), help="leave", run=run)

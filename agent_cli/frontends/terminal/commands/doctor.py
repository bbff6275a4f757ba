"""`/doctor`: what is there, what is missing, and one next step."""

import asyncio

from agent_cli.frontends.terminal.commands.base import Answer, Command, Here


async def run(here: Here, argument: str) -> Answer:
    """Show what `agent doctor` does; it tries out a sandbox, in a thread with a loop of its own."""
    return await asyncio.to_thread(here.outside.doctor)


COMMAND = Command(
    name="doctor",
    help="check keys, servers and tools, as `agent doctor` does",
    run=run,
)

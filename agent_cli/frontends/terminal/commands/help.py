"""`/help`: the commands, ours and those that are written in Markdown."""

from rich.table import Table
from rich.text import Text

from agent_cli.frontends.sanitiser import in_one_line
from agent_cli.frontends.terminal.commands import registry
from agent_cli.frontends.terminal.commands.base import Answer, Command, Here
from agent_cli.i18n.catalog import say


def run(here: Here, argument: str) -> Answer:
    """List all, or say more of the one that is named."""
    name = argument.removeprefix("/")
    if name:
        command = registry.find(name)
        return registry.unknown(here.agent.customs, name) if command is None else _one(command)
    listed = Table.grid(padding=(0, 2))
    listed.add_column(no_wrap=True)
    listed.add_column()
    for command in registry.built_in():
        listed.add_row(Text(_typed(command)), Text(_told(command)))
    for own in here.agent.customs.commands:
        typed = " ".join(filter(None, (f"/{own.name}", own.hint)))
        listed.add_row(Text(in_one_line(typed)), Text(in_one_line(own.description)))
    return listed


def _one(command: Command) -> str:
    return f"{_typed(command)}  {_told(command)}"


def _typed(command: Command) -> str:
    hint = say(command.hint) if command.hint else ""
    return f"/{command.name} {hint}".rstrip()


def _told(command: Command) -> str:
    others = ", ".join(f"/{name}" for name in command.aliases)
    return say(command.help) + (f" ({others})" if others else "")


COMMAND = Command(
    name="help",
    help="list the commands",
    hint="[COMMAND]",
    run=run,
    while_working=True,
)

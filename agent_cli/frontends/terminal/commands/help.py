"""`/help`: the commands, ours and those that are written in Markdown."""

from rich.table import Table
from rich.text import Text

from agent_cli.frontends.sanitiser import in_one_line
from agent_cli.frontends.terminal.commands import registry
from agent_cli.frontends.terminal.commands.base import Answer, Command, Here
from agent_cli.i18n.catalog import say

_NARROW = 72
"""Columns below which what a command does stands below its name."""


def run(here: Here, argument: str) -> Answer:
    """List all, or say more of the one that is named."""
    name = argument.removeprefix("/")
    if name:
        command = registry.find(name)
        return registry.unknown(here.agent.customs, name) if command is None else _one(command)
    rows = [(_typed(command), _told(command)) for command in registry.built_in()]
    for own in here.agent.customs.commands:
        typed = " ".join(filter(None, (f"/{own.name}", own.hint)))
        rows.append((in_one_line(typed), in_one_line(own.description)))
    if here.writer.console.width < _NARROW:
        lines = [Text(f"{typed}\n    {told}") for typed, told in rows]
        return Text("\n").join(lines)
    listed = Table.grid(padding=(0, 2))
    listed.add_column(no_wrap=True, style=here.theme.name_of_tool)
    listed.add_column()
    for typed, told in rows:
        listed.add_row(Text(typed), Text(told))
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

"""`/memory`: the instructions in files that the model has got."""

from rich.text import Text

from agent_cli.frontends.sanitiser import in_one_line
from agent_cli.frontends.terminal.columns import right
from agent_cli.frontends.terminal.commands.base import Answer, Command, Here
from agent_cli.i18n.catalog import say, say_many


def run(here: Here, argument: str) -> Answer:
    """List the files in the order in which they are read; the last one has the last word."""
    files = here.agent.instructions(here.agent.session.state)
    if not files:
        return say("no AGENTS.md and no rules are in force; /init writes one")
    shown = Text()
    for number, file in enumerate(files):
        shown.append("\n" if number else "")
        lines = say_many("{count:,} line", "{count:,} lines", len(file.text.splitlines()))
        shown.append(f"{right(lines, 11)}  ", style=here.theme.dim)
        shown.append(in_one_line(str(file.path)), style=here.theme.strong)
        if file.cut:
            shown.append(f"  {say('too long: the model gets its beginning')}", here.theme.warning)
    return shown


COMMAND = Command(
    name="memory",
    help="show which AGENTS.md and rules the model has been given",
    run=run,
    while_working=True,
)

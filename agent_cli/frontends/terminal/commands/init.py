"""`/init`: has the model look at the project and write its AGENTS.md."""

from rich.text import Text

from agent_cli.context.init import NAME, init_prompt
from agent_cli.frontends.terminal.commands.base import Answer, Command, Here, Prompt
from agent_cli.i18n.catalog import say


def run(here: Here, argument: str) -> Answer:
    exists = (here.outside.options.cwd / NAME).is_file()
    told = (
        say("the model looks at the project and brings {name} up to date", name=NAME)
        if exists
        else say("the model looks at the project and writes {name}", name=NAME)
    )
    here.writer.show(Text(told, style=here.theme.dim))
    return Prompt(init_prompt(argument, exists=exists))


COMMAND = Command(
    name="init",
    help="have the model look at the project and write AGENTS.md",
    hint="[WISHES]",
    run=run,
)

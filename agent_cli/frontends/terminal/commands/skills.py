"""`/skills`: instructions that the model can ask for."""

from rich.table import Table
from rich.text import Text

from agent_cli.frontends.sanitiser import in_one_line
from agent_cli.frontends.terminal.commands.base import Answer, Command, Here
from agent_cli.i18n.catalog import say


def run(here: Here, argument: str) -> Answer:
    skills = here.agent.customs.skills
    if not skills:
        return say("there are no skills; a folder with a SKILL.md in .agent/skills is one")
    listed = Table.grid(padding=(0, 2))
    listed.add_column(style=here.theme.name_of_tool, no_wrap=True)
    listed.add_column()
    listed.add_column(style=here.theme.dim)
    for skill in skills:
        cells = (skill.name, skill.description, skill.path)
        listed.add_row(*(Text(in_one_line(cell)) for cell in cells))
    return listed


COMMAND = Command(
    name="skills",
    help="list the skills that the model can ask for",
    run=run,
    while_working=True,
)

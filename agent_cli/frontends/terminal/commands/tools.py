"""`/tools`: what the model can call, and what of it the mode leaves out."""

import textwrap

from rich.table import Table
from rich.text import Text

from agent_cli.context.modes import allows
from agent_cli.frontends.sanitiser import in_one_line, visible
from agent_cli.frontends.terminal.commands.base import Answer, Command, Here
from agent_cli.i18n.catalog import say
from agent_cli.tools.base import AnyTool

_SHORT = 90
"""Characters of a description in the list."""


def run(here: Here, argument: str) -> Answer:
    """List all, or say what the model is told of one."""
    agent = here.agent
    tools = agent.toolbox.tools
    if argument:
        tool = tools.get(argument)
        if tool is None:
            return visible(say("there is no tool {name}", name=repr(argument)))
        return visible(f"{tool.name} ({tool.kind})\n{tool.description}")
    mode = agent.customs.modes.find(agent.session.state.task.mode)
    listed = Table.grid(padding=(0, 2))
    listed.add_column(no_wrap=True)
    listed.add_column(style=here.theme.dim)
    listed.add_column()
    for tool in sorted(tools.values(), key=_place):
        offered = allows(mode, tool.kind)
        name = Text(in_one_line(tool.name), style=here.theme.name_of_tool if offered else "")
        shown = textwrap.shorten(in_one_line(_first_sentence(tool)), _SHORT, placeholder="…")
        left_out = say("not in mode {mode}", mode=mode.slug)
        listed.add_row(name, str(tool.kind), Text(shown if offered else left_out))
    return listed


def _place(tool: AnyTool) -> tuple[bool, str]:
    return "__" in tool.name, tool.name  # what servers bring comes last


def _first_sentence(tool: AnyTool) -> str:
    return tool.description.partition(". ")[0].removesuffix(".")


COMMAND = Command(
    name="tools",
    help="list the tools, or show what the model is told of one",
    hint="[TOOL]",
    run=run,
    while_working=True,
)

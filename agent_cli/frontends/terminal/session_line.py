"""The input line of a session: what can be completed and attached is what the session knows."""

from collections.abc import Iterator
from pathlib import Path

from prompt_toolkit.application.run_in_terminal import run_in_terminal
from rich.text import Text

from agent_cli.frontends.terminal.below import Desk
from agent_cli.frontends.terminal.commands import registry
from agent_cli.frontends.terminal.commands.base import Here
from agent_cli.frontends.terminal.completion import Completions, Offer
from agent_cli.frontends.terminal.file_names import FileNames
from agent_cli.frontends.terminal.input import InputLine, Manner
from agent_cli.frontends.terminal.keys import Action
from agent_cli.frontends.terminal.meanwhile import desk
from agent_cli.frontends.terminal.pictures import Pictures
from agent_cli.i18n.catalog import say
from agent_cli.runtime.agent import Agent


def session_line(here: Here, history: Path | None) -> InputLine:
    """Return the line that messages to the agent are typed into."""
    agent = here.agent

    def tell(text: str) -> None:
        run_in_terminal(lambda: here.writer.show(Text(text, style=here.theme.warning)))

    manner = Manner(
        history,
        editing=here.outside.settings.terminal.editing,
        rewinds=True,
        completions=Completions(lambda: _offers(agent), FileNames(agent.toolbox.workspace)),
        pictures=Pictures(agent, tell),
        actions=_actions(desk(here)),
    )
    return InputLine(manner)


def _actions(desk: Desk) -> dict[str, Action]:
    """Return what keys mean that mean the same while the agent works."""
    return {
        "s-tab": Action(desk.cycle, prints=True),
        "c-o": Action(desk.expand, prints=True),
        "c-t": Action(desk.todos, prints=True),
    }


def _offers(agent: Agent) -> Iterator[Offer]:
    """Yield the commands, ours before those that are written in Markdown."""
    names: set[str] = set()
    for command in registry.built_in():
        for name in (command.name, *command.aliases):
            names.add(name)
            yield Offer(name, say(command.help))
    for own in agent.customs.commands:
        if own.name not in names:
            yield Offer(own.name, own.description)

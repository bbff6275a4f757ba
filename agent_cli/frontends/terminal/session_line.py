"""The input line of a session: what can be completed and attached is what the session knows."""

from collections.abc import Iterator, Mapping
from pathlib import Path

from agent_cli.frontends.terminal.commands import registry
from agent_cli.frontends.terminal.completion import Completions, Offer
from agent_cli.frontends.terminal.file_names import FileNames
from agent_cli.frontends.terminal.input import InputLine, Manner
from agent_cli.frontends.terminal.keys import Action
from agent_cli.i18n.catalog import say
from agent_cli.runtime.agent import Agent
from agent_cli.settings.schema import TerminalSettings


def session_line(
    agent: Agent,
    settings: TerminalSettings,
    history: Path | None,
    actions: Mapping[str, Action] | None = None,
) -> InputLine:
    """Return the line that messages to the agent are typed into; `actions` as in `Manner`."""
    manner = Manner(
        history,
        editing=settings.editing,
        rewinds=True,
        completions=Completions(lambda: _offers(agent), FileNames(agent.toolbox.workspace)),
        actions=actions or {},
    )
    return InputLine(manner)


def _offers(agent: Agent) -> Iterator[Offer]:
    """Yield the commands, ours before those that are written in Markdown."""
    names: set[str] = set()
    for command in registry.built_in():
        names.add(command.name)
        yield Offer(command.name, say(command.help))
    for own in agent.customs.commands:
        if own.name not in names:
            yield Offer(own.name, own.description)

"""What a person can do while the agent works: say more, have a look, think again."""

from collections.abc import Coroutine

from rich.text import Text

from agent_cli.frontends.sanitiser import visible
from agent_cli.frontends.terminal.below import Desk
from agent_cli.frontends.terminal.commands import registry
from agent_cli.frontends.terminal.commands.base import Draft, Here, Leave, Prompt
from agent_cli.frontends.terminal.shell_line import is_shell_line
from agent_cli.i18n.catalog import say
from agent_cli.runtime.session_care import unqueue


def desk(here: Here) -> Desk:
    """Return what becomes of lines and keys while the agent of this session works."""
    session = here.agent.session
    return Desk(
        enter=lambda line: _enter(here, line),
        queued=lambda: session.state.queued,
        take_back=lambda: unqueue(session),
        expand=here.view.expand,
        todos=lambda: here.view.show_todos(session.state.task.todos),
        cycle=lambda: _cycle(here),
    )


def left_over(here: Here, draft: str) -> str:
    """Return what was not delivered any more, to be said now, and what was being typed."""
    waiting: list[str] = []
    while line := unqueue(here.agent.session):
        waiting.insert(0, line)
    return "\n".join(filter(None, (*waiting, draft)))


def _cycle(here: Here) -> None:
    mode = here.agent.cycle_approval()
    here.writer.show(Text(say("approval from now on: {mode}", mode=mode), style=here.theme.dim))


def _enter(here: Here, line: str) -> None:
    """Queue what is for the model; run a command that only looks, and say so of any other."""
    customs = here.agent.customs
    if is_shell_line(line):
        here.writer.show(
            Text(say("a command has to wait until the work is done"), style=here.theme.dim)
        )
        return
    if registry.is_prompt(customs, line):
        here.agent.queue(line)
        return
    name, argument = registry.parted(line)
    command = registry.find(name)
    if command is None:
        here.show(registry.unknown(customs, name))
    elif not command.looks(argument):
        told = say("/{name} has to wait until the work is done", name=name)
        here.writer.show(Text(visible(told), style=here.theme.dim))
    else:
        answer = command.run(here, argument)
        assert not isinstance(answer, Coroutine | Leave | Draft | Prompt), "it does more than look"
        here.show(answer)

"""`/rewind` and Esc Esc: the user takes words back, to say them differently."""

from rich.text import Text

from agent_cli.frontends.sanitiser import in_one_line, visible
from agent_cli.frontends.terminal.input import ReadLine
from agent_cli.frontends.terminal.writer import Writer
from agent_cli.i18n.catalog import say
from agent_cli.runtime.agent import Agent
from agent_cli.runtime.session_care import unsay
from agent_cli.types.errors import JournalError

_OFFERED = 9


async def rewind(agent: Agent, writer: Writer, ask: ReadLine, number: str) -> str:
    """Unsay the message of that number, or one that is chosen, and all behind it.

    Return what it said, for the user to edit; empty if nothing was taken back.
    """
    if not agent.session.state.unsayable:
        writer.show(Text(say("there is nothing that could be taken back")))
        return ""
    chosen = number or await _chosen(agent, writer, ask)
    if not chosen:
        return ""
    if not (chosen.isascii() and chosen.isdigit()):
        writer.show(Text(visible(say("{text} is not a number", text=repr(chosen)))))
        return ""
    try:
        said = unsay(agent.session, int(chosen))
    except JournalError as error:
        writer.show(Text(visible(str(error))))
        return ""
    told = say("taken back from message {number} on; files stay as they are", number=chosen)
    writer.show(Text(told, style="yellow"))
    return said


async def _chosen(agent: Agent, writer: Writer, ask: ReadLine) -> str:
    """Show the last messages and ask for a number; empty if there is no answer."""
    state = agent.session.state
    last = state.unsayable[-_OFFERED:]
    first = state.messages_said - len(last) + 1
    width = writer.console.width - 6
    for number, text in enumerate(last, first):
        line = in_one_line(" ".join(text.split()))
        writer.show(Text(f"{number:4} {line if len(line) <= width else f'{line[: width - 1]}…'}"))
    try:
        return (await ask(say("Take back from message (Enter: none): "))).strip()
    except (EOFError, KeyboardInterrupt):
        return ""

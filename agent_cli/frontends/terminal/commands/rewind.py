"""`/rewind` and Esc Esc: the user takes words back, to say them differently."""

from rich.text import Text

from agent_cli.frontends.sanitiser import in_one_line, visible
from agent_cli.frontends.terminal.commands.base import Answer, Command, Draft, Here
from agent_cli.i18n.catalog import say
from agent_cli.runtime.session_care import unsay
from agent_cli.types.errors import JournalError

_OFFERED = 9


async def run(here: Here, argument: str) -> Answer:
    """Unsay the message of that number, or one that is chosen, and all behind it.

    What it said is the draft of what is said next.
    """
    session = here.agent.session
    if not session.state.unsayable:
        return say("there is nothing that could be taken back")
    chosen = argument or await _chosen(here)
    if not chosen:
        return ""
    if not (chosen.isascii() and chosen.isdigit()):
        return visible(say("{text} is not a number", text=repr(chosen)))
    try:
        said = unsay(session, int(chosen))
    except JournalError as error:
        return visible(str(error))
    told = say("taken back from message {number} on; files stay as they are", number=chosen)
    here.writer.show(Text(told, style=here.theme.warning))
    return Draft(said)


async def _chosen(here: Here) -> str:
    """Show the last messages and ask for a number; empty if there is no answer."""
    state = here.agent.session.state
    last = state.unsayable[-_OFFERED:]
    first = state.messages_said - len(last) + 1
    for number, text in enumerate(last, first):
        line = Text(f"{number:4} {in_one_line(' '.join(text.split()))}")
        line.truncate(here.writer.console.width, overflow="ellipsis")
        here.writer.show(line)
    try:
        return (await here.ask(say("Take back from message (Enter: none): "))).strip()
    except (EOFError, KeyboardInterrupt):
        return ""


COMMAND = Command(
    name="rewind",
    help="take words back and say them differently (also Esc Esc)",
    hint="[MESSAGE]",
    run=run,
)

"""`/undo`: takes back on disk what turns have changed."""

from agent_cli.frontends.sanitiser import visible
from agent_cli.frontends.terminal.commands._turns import turn_in
from agent_cli.frontends.terminal.commands.base import Answer, Command, Here
from agent_cli.frontends.undo_view import undo_lines
from agent_cli.i18n.catalog import say
from agent_cli.runtime.undoing import undo


def run(here: Here, argument: str) -> Answer:
    """Undo the last turn that changed something, or everything from a turn on."""
    agent = here.agent
    turn = turn_in(argument)
    store = agent.keeping.store
    if turn is None:
        return say("{text} is not the number of a turn", text=visible(argument))
    if store is None:
        return say("nothing is kept of this session")
    done = undo(agent.session, agent.keeping.restoring(store), turn or None)
    if done is None:
        return say("there is nothing to undo")
    return "\n".join([say("undone, from turn {turn} on:", turn=done.turn), *undo_lines(done.plan)])


COMMAND = Command(
    name="undo",
    help="take back what the last turn changed, or all from a turn on",
    hint="[TURN]",
    run=run,
)

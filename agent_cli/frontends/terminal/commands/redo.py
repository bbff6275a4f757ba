"""`/redo`: makes again what was undone last."""

from agent_cli.frontends.terminal.commands.base import Answer, Command, Here
from agent_cli.frontends.undo_view import undo_lines
from agent_cli.i18n.catalog import say
from agent_cli.runtime.undoing import redo


def run(here: Here, argument: str) -> Answer:
    agent = here.agent
    store = agent.keeping.store
    done = redo(agent.session, agent.keeping.restoring(store)) if store is not None else None
    if done is None:
        return say("there is nothing to redo")
    return "\n".join([say("made again:"), *undo_lines(done)])


COMMAND = Command(name="redo", help="make again what was undone last", run=run)

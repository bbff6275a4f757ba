"""`/diff`: what a turn changed, or the whole session."""

from agent_cli.frontends.sanitiser import visible
from agent_cli.frontends.terminal.commands._turns import turn_in
from agent_cli.frontends.terminal.commands.base import Answer, Command, Here
from agent_cli.frontends.terminal.diff_view import DiffView
from agent_cli.i18n.catalog import say
from agent_cli.types.evidence import FileVersion
from agent_cli.undo.diffs import unified
from agent_cli.undo.history import history, net


def run(here: Here, argument: str) -> Answer:
    agent = here.agent
    turn = turn_in(argument)
    store = agent.keeping.store
    if turn is None:
        return say("{text} is not the number of a turn", text=visible(argument))
    if store is None:
        return say("nothing is kept of this session")

    def content(wanted: FileVersion) -> bytes | None:
        return store.get(wanted.hash)

    changes = agent.session.recall(history).of(turn or None)
    shown = unified(net([one.file for one in changes]), content)
    return DiffView("\n".join(shown), here.view.theme) if shown else say("nothing was changed")


COMMAND = Command(
    name="diff",
    help="show what a turn changed, or the session",
    hint="[TURN]",
    run=run,
)

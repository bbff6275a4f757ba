"""`/status`: which session this is."""

from agent_cli.frontends.terminal.commands.base import Answer, Command, Here
from agent_cli.i18n.catalog import say


def run(here: Here, argument: str) -> Answer:
    state = here.agent.session.state
    started = state.session
    if started is None:
        return say("no session")
    return say(
        "session {id}, model {model}, protocol {protocol}, mode {mode}, {turns} turns",
        id=started.id,
        model=state.model,
        protocol=started.protocol,
        mode=state.task.mode,
        turns=state.turns,
    )


COMMAND = Command(name="status", help="show session, model and mode", run=run, while_working=True)

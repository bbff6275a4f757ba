"""`/parallel`: several calls per message, or one."""

from agent_cli.frontends.terminal.commands.base import Answer, Command, Here
from agent_cli.i18n.catalog import say
from agent_cli.types.entries import ParallelSwitched
from agent_cli.types.requests import Protocol


def run(here: Here, argument: str) -> Answer:
    session = here.agent.session
    started = session.state.session
    if started is not None and started.protocol is Protocol.XML:
        return say("the XML protocol has one call per message")
    if argument in ("on", "off"):
        session.append(ParallelSwitched(on=argument == "on"))
    state = say("on") if session.state.parallel else say("off")
    return say("several calls per message: {state}; /parallel on|off changes it", state=state)


COMMAND = Command(
    name="parallel",
    help="allow several calls per message, or one",
    hint="on|off",
    run=run,
)

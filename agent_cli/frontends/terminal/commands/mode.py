"""`/mode`: what the model is to be, and which tools it has."""

from agent_cli.frontends.sanitiser import visible
from agent_cli.frontends.terminal.commands.base import Answer, Command, Here
from agent_cli.i18n.catalog import say
from agent_cli.types.entries import ModeSwitched


def run(here: Here, argument: str) -> Answer:
    session = here.agent.session
    slugs = [mode.slug for mode in here.agent.customs.modes.known]
    if not argument:
        return say(
            "mode {mode}; there are {slugs}",
            mode=session.state.task.mode,
            slugs=", ".join(slugs),
        )
    if argument not in slugs:
        told = say("unknown mode {mode}; use one of {slugs}", mode=argument, slugs=", ".join(slugs))
        return visible(told)
    session.append(ModeSwitched(argument))
    return say("mode {mode}", mode=argument)


COMMAND = Command(
    name="mode",
    help="show or switch the mode",
    hint="[MODE]",
    run=run,
    while_working=True,
    acts=True,
)

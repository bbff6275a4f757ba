"""`/context`: how full the model's window is."""

from agent_cli.frontends.terminal.commands.base import Answer, Command, Here
from agent_cli.i18n.catalog import say


def run(here: Here, argument: str) -> Answer:
    """Say what the next request would consist of."""
    filling = here.agent.compaction.filling()
    if filling is None:
        return say("nothing has been said yet")
    parts = filling.parts
    lines = [
        (say("system prompt"), parts.system),
        (say("tools"), parts.tools),
        (say("messages"), parts.said),
        (say("results of tools"), parts.results),
        (say("together"), parts.whole),
    ]
    width = max(len(name) for name, _ in lines)
    shown = [f"{name:<{width}}  {tokens:>9,}" for name, tokens in lines]
    if filling.window is None:
        shown.append(say("in tokens, estimated; how much the model takes in is not known"))
    else:
        share = round(100 * parts.whole / filling.window)
        full = say(
            "in tokens, estimated: {share} % of the model's window of {window:,}",
            share=share,
            window=filling.window,
        )
        shown.append(full)
    return "\n".join(shown)


COMMAND = Command(
    name="context",
    help="show how full the model's window is",
    run=run,
    while_working=True,
)

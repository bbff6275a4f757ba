"""`/cost`: tokens and money so far."""

from agent_cli.frontends.terminal.commands.base import Answer, Command, Here
from agent_cli.i18n.catalog import say


def run(here: Here, argument: str) -> Answer:
    spent = here.agent.session.state.spent
    cost = say("unknown") if spent.cost is None else f"${spent.cost:.4f}"
    about = say("(partly estimated)") if spent.estimated else ""
    shown = say(
        "{input} tokens in, {output} out; cost: {cost}",
        input=spent.input_tokens,
        output=spent.output_tokens,
        cost=cost,
    )
    return f"{shown} {about}".rstrip()


COMMAND = Command(
    name="cost",
    aliases=("usage",),
    help="show tokens and cost so far",
    run=run,
    while_working=True,
)

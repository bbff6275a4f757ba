"""`/cost`: tokens and money so far."""

from agent_cli.engine.task import State
from agent_cli.frontends.terminal.commands.base import Answer, Command, Here
from agent_cli.i18n.catalog import say


def run(here: Here, argument: str) -> Answer:
    state = here.agent.session.state
    lines = [spent(state)]
    if state.spent.cache_read_tokens:
        cached = round(100 * state.spent.cache_read_tokens / max(state.spent.input_tokens, 1))
        lines.append(say("{share} % of what was read came from a cache", share=cached))
    lines.append(
        say(
            "turns: {turns}, at work: {seconds} s",
            turns=state.turns,
            seconds=round(state.used.seconds),
        )
    )
    return "\n".join(lines)


def spent(state: State) -> str:
    """Return tokens and cost in one line."""
    used = state.spent
    cost = say("unknown") if used.cost is None else f"${used.cost:.4f}"
    about = say("(partly estimated)") if used.estimated else ""
    shown = say(
        "{input} tokens in, {output} out; cost: {cost}",
        input=used.input_tokens,
        output=used.output_tokens,
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

"""`/plan`: plan mode, in which nothing is changed."""

from agent_cli.frontends.terminal.commands.base import Answer, Command, Here, Prompt
from agent_cli.i18n.catalog import say
from agent_cli.types.approval import ApprovalMode


def run(here: Here, argument: str) -> Answer:
    """Turn it on or off; with words behind it, turn it on and say them."""
    agent = here.agent
    planning = agent.session.state.approval is ApprovalMode.PLAN
    if argument not in ("", "on", "off"):
        agent.set_approval(ApprovalMode.PLAN)
        return Prompt(argument)
    on = argument == "on" or (not argument and not planning)
    if on:
        agent.set_approval(ApprovalMode.PLAN)
        return say("plan mode: nothing is changed until /plan off or Shift+Tab")
    if planning:
        agent.set_approval(ApprovalMode.ASK)
    return say("no plan mode: approval {mode}", mode=agent.session.state.approval)


COMMAND = Command(
    name="plan",
    help="turn plan mode on or off; with words, on for them",
    hint="[on|off|WORDS]",
    run=run,
)

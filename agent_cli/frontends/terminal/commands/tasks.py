"""`/tasks`: the tasks that wait for each other."""

from collections.abc import Coroutine
from typing import Any

from agent_cli.frontends.messages import remark
from agent_cli.frontends.sanitiser import visible
from agent_cli.frontends.terminal.commands.base import Answer, Command, Here
from agent_cli.i18n.catalog import say
from agent_cli.runtime.agent import Agent
from agent_cli.runtime.standing import standing


def run(here: Here, argument: str) -> Answer | Coroutine[Any, Any, Answer]:
    state = here.agent.session.state
    if argument != "cancel":
        return visible(standing(state))
    if len(state.tasks) == 1:
        return say("no subtask runs")
    return _without_subtask(here.agent)


async def _without_subtask(agent: Agent) -> str:
    """Give up the running subtask; return what is to be said when its parent has come on."""
    awaiting = await agent.cancel_subtask()
    return remark(awaiting, agent.session.state.task.limit)


COMMAND = Command(
    name="tasks",
    help="show the tasks that wait for each other; cancel gives one up",
    hint="[cancel]",
    run=run,
    while_working=True,
    acts=True,
)

"""`/budget`: what is used of each limit."""

from agent_cli.engine.budget import accounts
from agent_cli.frontends.messages import amount
from agent_cli.frontends.terminal.commands.base import Answer, Command, Here
from agent_cli.i18n.catalog import say


def run(here: Here, argument: str) -> Answer:
    lines: list[str] = []
    for account in accounts(here.agent.session.state.used, here.agent.budget):
        used = amount(account.limit, account.used)
        if account.most is None:
            lines.append(say("{name}: {used}, no limit", name=account.limit, used=used))
            continue
        left = amount(account.limit, max(account.most - account.used, 0))
        most = amount(account.limit, account.most)
        lines.append(
            say(
                "{name}: {used} of {most}, {left} left",
                name=account.limit,
                used=used,
                most=most,
                left=left,
            )
        )
    return "\n".join(lines)


COMMAND = Command(
    name="budget",
    help="show what is used of each limit, and what is left",
    run=run,
    while_working=True,
)

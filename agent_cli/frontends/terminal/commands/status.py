"""`/status`: which session this is, who is asked, what is used up."""

from rich.table import Table
from rich.text import Text

from agent_cli.frontends.sanitiser import in_one_line
from agent_cli.frontends.terminal.commands.base import Answer, Command, Here
from agent_cli.frontends.terminal.commands.cost import spent
from agent_cli.i18n.catalog import say, say_many


def run(here: Here, argument: str) -> Answer:
    state = here.agent.session.state
    started = state.session
    if started is None:
        return say("no session")
    name = f"{started.id}  {in_one_line(state.title)}".rstrip()
    path = here.agent.session.path
    turns = say_many("{count} turn", "{count} turns", state.turns)
    approval = "yolo" if here.agent.toolbox.policy.yolo else state.approval
    rows = [
        (say("session"), name),
        (say("file"), in_one_line(str(path)) if path else say("kept nowhere")),
        (say("folder"), in_one_line(started.cwd)),
        (say("model"), f"{in_one_line(state.model)}, {started.protocol}"),
        (say("mode"), state.task.mode),
        (say("approval"), str(approval)),
        (say("used"), f"{turns}, {spent(state)}"),
    ]
    if (filling := here.agent.compaction.filling()) is not None and filling.window:
        share = round(100 * filling.parts.whole / filling.window)
        rows.append((say("window"), say("{share} % full", share=share)))
    if len(state.tasks) > 1:
        rows.append((say("tasks"), str(len(state.tasks))))
    shown = Table.grid(padding=(0, 2))
    shown.add_column(style=here.theme.dim, no_wrap=True)
    shown.add_column(overflow="fold")
    for title, value in rows:
        shown.add_row(title, Text(value))
    return shown


COMMAND = Command(
    name="status",
    help="show session, model, mode, approval and what is used up",
    run=run,
    while_working=True,
)

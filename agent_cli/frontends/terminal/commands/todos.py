"""`/todos`: the to-do list of the task that runs."""

from agent_cli.frontends.terminal.commands.base import Answer, Command, Here


def run(here: Here, argument: str) -> Answer:
    """Show what Ctrl+T shows."""
    here.view.show_todos(here.agent.session.state.task.todos)
    return ""


COMMAND = Command(
    name="todos",
    help="show the to-do list of the task that runs",
    run=run,
    while_working=True,
)

"""`/todos`: the to-do list of the task that runs."""

from rich.text import Text

from agent_cli.frontends.sanitiser import in_one_line
from agent_cli.frontends.terminal.commands.base import Answer, Command, Here
from agent_cli.i18n.catalog import say

_MARKS = {"pending": "[ ]", "in_progress": "[~]", "completed": "[x]"}


def run(here: Here, argument: str) -> Answer:
    todos = here.agent.session.state.task.todos
    if not todos:
        return say("there is no to-do list")
    styles = {"pending": "", "in_progress": here.theme.strong, "completed": here.theme.dim}
    lines = [
        Text(f"{_MARKS[todo.status]} {in_one_line(todo.text)}", style=styles[todo.status])
        for todo in todos
    ]
    return Text("\n").join(lines)


COMMAND = Command(
    name="todos",
    help="show the to-do list of the task that runs",
    run=run,
    while_working=True,
)

"""Where the tasks of a session stand, for a person: the session's own, and what runs on top."""

from agent_cli.engine.task import State, Task
from agent_cli.i18n.catalog import say

_WORDS = 60


def standing(state: State) -> str:
    """Return one line per task, the session's own first; the last one is the one that runs."""
    lines = [_line(depth, task, state) for depth, task in enumerate(state.tasks)]
    return "\n".join(lines)


def _line(depth: int, task: Task, state: State) -> str:
    words = " ".join((task.said or ("",))[0].split())
    short = words if len(words) <= _WORDS else f"{words[: _WORDS - 1]}…"
    runs = task is state.tasks[-1]
    what = say("runs") if runs else say("waits for the one below")
    done = sum(todo.status == "completed" for todo in task.todos)
    todos = f", {done}/{len(task.todos)}" if task.todos else ""
    return f"{'  ' * depth}{depth + 1}. [{task.mode}] {short} ({what}{todos})"

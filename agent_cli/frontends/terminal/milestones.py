"""Lines on what goes on around the calls: to-dos, checks, subtasks, and what became of history."""

from collections.abc import Sequence

from msgspec import Struct
from rich.console import Group, RenderableType
from rich.text import Text

from agent_cli.frontends.evidence import check_line
from agent_cli.frontends.messages import compaction_message, restored_message
from agent_cli.frontends.sanitiser import in_one_line, visible
from agent_cli.frontends.terminal.theme import Theme
from agent_cli.i18n.catalog import say
from agent_cli.types.entries import (
    CheckRun,
    Entry,
    FilesRestored,
    HistoryCompacted,
    TaskStarted,
    Todo,
    TodosUpdated,
)
from agent_cli.types.evidence import Check


class Section(Struct, frozen=True):
    """What to print, and which kind of thing it is."""

    kind: str
    shown: RenderableType


def milestone(entry: Entry, theme: Theme) -> Section | None:
    """Return what is said of the entry, if anything is."""
    match entry:
        case TaskStarted(parent_call_id=parent) if parent:
            return Section("subtask", _subtask(entry, theme))
        case CheckRun(check=check):
            return Section("call", _checked(check, theme))
        case FilesRestored(why="rollback"):
            return Section("call", Text(restored_message(entry), style=theme.warning))
        case HistoryCompacted():
            return Section("notice", Text(compaction_message(entry), style=theme.warning))
        case TodosUpdated(todos):
            return Section("todos", todo_lines(todos, theme))
        case _:
            return None


def todo_lines(todos: Sequence[Todo], theme: Theme) -> Group:
    """Return the list; in words, where signs say nothing."""
    signs = {
        "completed": (theme.mark("✓", say("done")), theme.ok, theme.dim),
        "in_progress": (theme.mark("▸", say("now")), theme.warning, theme.strong),
    }
    other = (theme.mark("○", say("to do")), theme.dim, "")
    lines: list[Text] = []
    for todo in todos:
        sign, colour, style = signs.get(todo.status, other)
        lines.append(Text().append(f"  {sign} ", colour).append(in_one_line(todo.text), style))
    return Group(*lines)


def _checked(check: Check, theme: Theme) -> Text:
    """Return how a check ended."""
    line = check_line(check, words=theme.plain)
    return Text(line, style=theme.ok if check.passed else theme.error)


def _subtask(started: TaskStarted, theme: Theme) -> Text:
    """Return the heading of what a subtask does."""
    mode, message = in_one_line(started.mode), visible(started.message)
    head = Text() if theme.plain else Text().append("▶ ", theme.subtask)
    head.append(theme.mark(say("Subtask"), say("Subtask")), theme.strong)
    return head.append(f" [{mode}] ", theme.subtask).append(message)

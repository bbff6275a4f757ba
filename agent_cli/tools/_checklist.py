"""To-do lists as models write them: a Markdown checklist, one item a line."""

import re

from agent_cli.types.entries import Todo
from agent_cli.types.errors import ToolError
from agent_cli.types.outcomes import Code

_ITEM = re.compile(r"(?:-\s*)?\[\s*([ xX\-~])\s*\]\s+(.+)")
_STATUS = {
    " ": "pending",
    "x": "completed",
    "X": "completed",
    "-": "in_progress",
    "~": "in_progress",
}


def checklist(text: str) -> tuple[tuple[Todo, ...], int]:
    """Return the items, and how many lines are none; raises ToolError if no line is one."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    items = tuple(todo for line in lines if (todo := _parse(line)) is not None)
    if lines and not items:
        raise ToolError(
            f"no line is an item of a checklist, the first is {lines[0]!r}: "
            "begin each with '[ ]', '[-]' or '[x]' and a blank",
            Code.INVALID_ARGUMENTS,
        )
    return items, len(lines) - len(items)


def _parse(line: str) -> Todo | None:
    found = _ITEM.fullmatch(line)
    return Todo(found[2].strip(), _STATUS[found[1]]) if found else None

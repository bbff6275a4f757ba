"""update_todo_list: the steps of the task, for model and user alike."""

import re
from typing import Annotated

from msgspec import Meta

from agent_cli.tools.base import Output, Todos, Tool, ToolArguments, ToolContext
from agent_cli.types.effects import Kind
from agent_cli.types.entries import Todo
from agent_cli.types.errors import ToolError
from agent_cli.types.outcomes import Code

_LINE = re.compile(r"^\s*(?:[-*]\s*)?\[\s*([ xX~-]?)\s*\]\s+(\S.*?)\s*$")
_STATUS = {"x": "completed", "-": "in_progress", "~": "in_progress"}


class Arguments(ToolArguments, frozen=True):
    todos: Annotated[
        str,
        Meta(
            description="The whole list as a Markdown checklist, one step a line: "
            "[ ] pending, [~] in progress, [x] completed."
        ),
    ]


class UpdateTodoList(Tool[Arguments]):
    name = "update_todo_list"
    description = (
        "Replace the to-do list of the task. Use it for work of several steps: when it begins, "
        "and whenever a step is done or a new one turns up."
    )
    kind = Kind.ALWAYS
    arguments = Arguments

    async def run(self, arguments: Arguments, context: ToolContext) -> Output:
        matches = [_LINE.match(line) for line in arguments.todos.splitlines()]
        items = tuple(
            Todo(match[2], _STATUS.get(match[1].lower(), "pending")) for match in matches if match
        )
        if arguments.todos.strip() and not items:
            raise ToolError(
                "no line is a step: write each as `[ ] what is to be done`",
                Code.INVALID_ARGUMENTS,
            )
        done = sum(item.status == "completed" for item in items)
        return Todos(items, f"The list has {len(items)} steps, {done} of them completed.")


TOOL = UpdateTodoList()

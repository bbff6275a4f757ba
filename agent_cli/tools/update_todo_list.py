"""update_todo_list: the model writes down what it means to do."""

from typing import Annotated

from msgspec import Meta

from agent_cli.tools._checklist import checklist
from agent_cli.tools.base import Reason, Todos, Tool, ToolArguments, ToolContext
from agent_cli.types.effects import Kind
from agent_cli.types.entries import Todo
from agent_cli.types.outcomes import Code


class Arguments(ToolArguments, frozen=True):
    todos: Annotated[
        str,
        Meta(
            description="The whole list as a Markdown checklist, one item a line, in order: "
            "'[ ] pending', '[-] in progress', '[x] completed'."
        ),
    ]


class UpdateTodoList(Tool[Arguments]):
    name = "update_todo_list"
    description = (
        "Replace the to-do list of the task. Use it for work of several steps: write the steps "
        "down at the start, mark one as in progress, mark it as completed as soon as it is, and "
        "add what turns up on the way. Always send the whole list, with the items that are done."
    )
    kind = Kind.ALWAYS
    arguments = Arguments
    example = Arguments("[x] Read the cart and its tests\n[-] Round the total\n[ ] Run the tests")
    failures = (Reason("no_list", "No line is an item of a checklist.", Code.INVALID_ARGUMENTS),)

    async def run(self, arguments: Arguments, context: ToolContext) -> Todos:
        items, ignored = checklist(arguments.todos)
        return Todos(items, _summary(items, ignored))


def _summary(items: tuple[Todo, ...], ignored: int) -> str:
    done = sum(item.status == "completed" for item in items)
    said = f"The to-do list was updated: {done} of {len(items)} items are completed."
    return f"{said} {ignored} lines that are no items were left out." if ignored else said


TOOL = UpdateTodoList()

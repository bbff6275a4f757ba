"""new_task: hand a part of the work to a task of its own, and wait for its result."""

from typing import Annotated

from msgspec import Meta

from agent_cli.engine.subtasks import MOST_SUBTASKS, MOST_TASKS
from agent_cli.tools._checklist import checklist
from agent_cli.tools._modes import known_mode
from agent_cli.tools.base import Reason, StartTask, Tool, ToolArguments, ToolContext
from agent_cli.types.approval import Words
from agent_cli.types.effects import Effect, Kind
from agent_cli.types.errors import ToolError
from agent_cli.types.outcomes import Code


class Arguments(ToolArguments, frozen=True):
    mode: Annotated[str, Meta(description="The slug of the mode it is done in, such as `code`.")]
    message: Annotated[
        str,
        Meta(
            description="Everything that whoever does it has to know: it starts without this "
            "conversation. Say what its result should tell."
        ),
    ]
    todos: Annotated[
        str | None,
        Meta(
            description="Its first to-do list as a Markdown checklist, one item a line: "
            "'[ ] pending', '[-] in progress', '[x] completed'."
        ),
    ] = None


class NewTask(Tool[Arguments]):
    name = "new_task"
    description = (
        "Hand a part of the work to a new task with a history of its own, and wait: its result is "
        "the result of this call. Make it the last call of a message; calls after it are not run."
    )
    kind = Kind.ALWAYS
    arguments = Arguments
    example = Arguments(
        "code",
        "Add a command `export` to cli.py that writes all notes to one JSON file, with tests. "
        "Change nothing else. Tell the names of the files that you changed.",
        "[ ] command\n[ ] tests",
    )
    touches = (Effect(Kind.MODE, "mode, if it is another"),)
    limits = (
        f"{MOST_TASKS} tasks on top of each other, the session's own included.",
        f"{MOST_SUBTASKS} new tasks of one task.",
    )
    failures = (
        Reason("unknown_mode", "There is no such mode.", Code.INVALID_ARGUMENTS),
        Reason("no_message", "The message is empty.", Code.INVALID_ARGUMENTS),
        Reason(
            "no_list",
            "No line of the to-do list is an item.",
            Code.INVALID_ARGUMENTS,
        ),
        Reason(
            "too_many",
            "Too many tasks are on top of each other, or this one has had too many.",
            Code.TOO_MANY_SUBTASKS,
        ),
        Reason("unfinished", "The new task ended without a result.", Code.SUBTASK_FAILED),
        Reason("cancelled", "The user gave the new task up.", Code.SUBTASK_CANCELLED),
    )

    def effects(self, arguments: Arguments, context: ToolContext) -> tuple[Effect, ...]:
        slug = known_mode(arguments.mode, context)
        return () if slug == context.mode else (Effect(Kind.MODE, slug),)

    def preview(self, arguments: Arguments, context: ToolContext) -> Words:
        return Words(f"{known_mode(arguments.mode, context)}: {arguments.message}")

    async def run(self, arguments: Arguments, context: ToolContext) -> StartTask:
        message = arguments.message.strip()
        if not message:
            raise ToolError("the message is empty: say what the task is", Code.INVALID_ARGUMENTS)
        todos, _ = checklist(arguments.todos or "")
        return StartTask(known_mode(arguments.mode, context), message, todos)


TOOL = NewTask()

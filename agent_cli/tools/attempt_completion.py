"""attempt_completion: the model says that the task is done."""

import re
from typing import Annotated

from msgspec import Meta

from agent_cli.tools.base import Complete, Reason, Tool, ToolArguments, ToolContext
from agent_cli.types.effects import Effect, Kind
from agent_cli.types.errors import ToolError
from agent_cli.types.outcomes import Code

_LEFTOVERS = re.compile(r"(?:\s*</(?:result|attempt_completion)>)+\s*\Z")
"""Ends of tags that a model used to XML calls writes inside its last argument."""


class Arguments(ToolArguments, frozen=True):
    result: Annotated[
        str,
        Meta(
            description="The final result of the task, for the user to read. "
            "State it as finished: no question, no offer of further help at the end."
        ),
    ]
    command: Annotated[
        str | None,
        Meta(
            description="A shell command that shows the result live, say one that opens a page "
            "or starts a server. Not one that only prints text, like echo or cat."
        ),
    ] = None


class AttemptCompletion(Tool[Arguments]):
    name = "attempt_completion"
    description = (
        "Present the result of the task to the user. Call it only once you know from their "
        "results that all earlier tool calls succeeded; it is refused in a message in which a "
        "call before it failed. The user may answer with feedback: then go on working and "
        "call it again."
    )
    kind = Kind.ALWAYS
    arguments = Arguments
    example = Arguments(
        "The cart rounds its total to cents. All 14 tests pass.", "open htmlcov/index.html"
    )
    touches = (Effect(Kind.EXECUTE, "command, where a person sees the result; the user's checks"),)
    failures = (
        Reason("no_result", "The result is empty.", Code.INVALID_ARGUMENTS),
        Reason(
            "failed_earlier",
            "A call before it in the message failed or was denied; the settings say what counts.",
            Code.FAILED_EARLIER,
        ),
        Reason(
            "unresolved",
            "A call failed, and none like it has succeeded since; only where the settings say that "
            "this counts.",
            Code.UNRESOLVED,
        ),
        Reason(
            "open_todos",
            "An item of the to-do list is open; only where the settings say that this counts.",
            Code.OPEN_TODOS,
        ),
        Reason(
            "check",
            "A check of the user's did not pass; only where there are some.",
            Code.CHECK_FAILED,
        ),
        Reason("hook", "A hook of the user forbids it.", Code.HOOK),
    )

    async def run(self, arguments: Arguments, context: ToolContext) -> Complete:
        result = _LEFTOVERS.sub("", arguments.result).strip()
        if not result:
            raise ToolError(
                "the result is empty: say what was done, in the argument 'result'",
                Code.INVALID_ARGUMENTS,
            )
        command = (arguments.command or "").strip()
        return Complete(result, command or None)


TOOL = AttemptCompletion()

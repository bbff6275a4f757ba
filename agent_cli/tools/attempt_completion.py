"""attempt_completion: the model says that the task is done."""

import re
from typing import Annotated

from msgspec import Meta

from agent_cli.tools.base import Complete, Output, Tool, ToolArguments, ToolContext
from agent_cli.types.effects import Effect, Kind
from agent_cli.types.errors import ToolError
from agent_cli.types.outcomes import Code

_LEFTOVERS = re.compile(r"(?:\s*</(?:result|command|attempt_completion|parameter|invoke)>)+\s*\Z")
"""Closing tags that models leave behind when they mix up protocols."""


class Arguments(ToolArguments, frozen=True):
    result: Annotated[
        str,
        Meta(
            description="What was done, concisely and finally: no question, no offer of more help."
        ),
    ]
    command: Annotated[
        str | None,
        Meta(
            description="One command that shows the result to the user, for example one that "
            "opens a page or runs the program; not echo or cat."
        ),
    ] = None


class AttemptCompletion(Tool[Arguments]):
    name = "attempt_completion"
    description = (
        "Present the result of the task to the user, once the results of all earlier calls have "
        "confirmed that it is done. Refused if an earlier call of the same message did not succeed."
    )
    kind = Kind.ALWAYS
    arguments = Arguments

    def effects(self, arguments: Arguments, context: ToolContext) -> tuple[Effect, ...]:
        """Name the command, so that the record says what a start may lead to."""
        command = _stripped(arguments.command or "")
        return (Effect(Kind.EXECUTE, command),) if command else ()

    async def run(self, arguments: Arguments, context: ToolContext) -> Output:
        result = _stripped(arguments.result)
        if not result:
            raise ToolError("result is empty: say what was done", Code.INVALID_ARGUMENTS)
        return Complete(result, _stripped(arguments.command or "") or None)


def _stripped(text: str) -> str:
    return _LEFTOVERS.sub("", text).strip()


TOOL = AttemptCompletion()

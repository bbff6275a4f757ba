"""ask_followup_question: something only the user can know."""

from typing import Annotated

from msgspec import Meta

from agent_cli.tools.base import Output, Tool, ToolArguments, ToolContext
from agent_cli.types.effects import Kind
from agent_cli.types.errors import ToolError
from agent_cli.types.outcomes import Code


class Suggestion(ToolArguments, frozen=True):
    text: Annotated[str, Meta(description="A whole answer the user can choose.")]
    mode: Annotated[
        str | None, Meta(description="The mode in which this answer would be worked on.")
    ] = None


class Arguments(ToolArguments, frozen=True):
    question: Annotated[str, Meta(description="One clear question.")]
    follow_up: Annotated[
        tuple[Suggestion, ...] | None, Meta(description="Two to four likely answers.")
    ] = None


_MOST = 4


class AskFollowupQuestion(Tool[Arguments]):
    name = "ask_followup_question"
    description = (
        "Ask the user for something that no tool can find out and that the task cannot do without."
    )
    kind = Kind.ALWAYS
    arguments = Arguments

    async def run(self, arguments: Arguments, context: ToolContext) -> Output:
        if not arguments.question.strip():
            raise ToolError("question is empty", Code.INVALID_ARGUMENTS)
        suggestions = arguments.follow_up or ()
        if len(suggestions) > _MOST:
            given = len(suggestions)
            raise ToolError(f"{given} suggestions: give at most {_MOST}", Code.INVALID_ARGUMENTS)
        texts = tuple(suggestion.text for suggestion in suggestions)
        answer = await context.ask(arguments.question, texts)
        return f"<answer>\n{answer}\n</answer>"


TOOL = AskFollowupQuestion()

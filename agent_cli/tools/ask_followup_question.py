"""ask_followup_question: the model needs something that only the user knows."""

from typing import Annotated

from msgspec import Meta, Struct

from agent_cli.tools.base import Reason, Tool, ToolArguments, ToolContext
from agent_cli.types.effects import Kind
from agent_cli.types.errors import ToolError
from agent_cli.types.outcomes import Code

MOST_SUGGESTIONS = 4


class Suggestion(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    text: Annotated[
        str, Meta(description="A complete answer that the user can choose as it stands.")
    ]
    mode: Annotated[
        str | None, Meta(description="The mode in which the work would go on, if another.")
    ] = None


class Arguments(ToolArguments, frozen=True):
    question: Annotated[
        str, Meta(description="A clear question, with what the user must know to answer it.")
    ]
    follow_up: Annotated[
        Annotated[tuple[Suggestion, ...], Meta(max_length=MOST_SUGGESTIONS)] | None,
        Meta(
            description="Up to four suggested answers, the most likely first. They are specific "
            "and have no placeholders. The user may also answer freely.",
        ),
    ] = None


class AskFollowupQuestion(Tool[Arguments]):
    name = "ask_followup_question"
    description = (
        "Ask the user a question. Only for what you cannot find out with the other tools, "
        "and when a wrong guess would cost more than the interruption."
    )
    kind = Kind.ALWAYS
    arguments = Arguments
    example = Arguments(
        "Which database shall the tests run against?",
        (Suggestion("SQLite, in memory"), Suggestion("The PostgreSQL of docker-compose.yml")),
    )
    limits = (f"{MOST_SUGGESTIONS} suggestions.",)
    failures = (
        Reason("no_question", "The question is empty.", Code.INVALID_ARGUMENTS),
        Reason("nobody", "Nobody is there to answer.", Code.NOBODY_TO_ASK),
    )

    async def run(self, arguments: Arguments, context: ToolContext) -> str:
        if not arguments.question.strip():
            raise ToolError("the question is empty: ask something", Code.INVALID_ARGUMENTS)
        suggestions = arguments.follow_up or ()
        texts = tuple(suggestion.text for suggestion in suggestions)
        answer = await context.ask(arguments.question, texts)
        modes = (one.mode for one in suggestions if one.text == answer and one.mode)
        mode = next(modes, None)
        # The user saw the text of the suggestion, not its mode: the switch is asked for by itself.
        advice = f"\nThis was suggested for the mode {mode!r}: call switch_mode." if mode else ""
        return f"<answer>{answer}</answer>{advice}"


TOOL = AskFollowupQuestion()

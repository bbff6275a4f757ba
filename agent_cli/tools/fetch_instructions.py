"""fetch_instructions: how to do a special job, and the text of a skill, when it is needed."""

from typing import Annotated

from msgspec import Meta

from agent_cli.resources.prompts import prompt, prompts
from agent_cli.tools.base import Reason, Tool, ToolArguments, ToolContext
from agent_cli.types.effects import Kind
from agent_cli.types.errors import ToolError
from agent_cli.types.outcomes import Code


class Arguments(ToolArguments, frozen=True):
    task: Annotated[
        str,
        Meta(
            description="What the instructions are for: the name of a skill, or create_mode, "
            "create_command, create_skill, create_mcp_server."
        ),
    ]


class FetchInstructions(Tool[Arguments]):
    name = "fetch_instructions"
    description = (
        "Get the instructions for a special job before you begin it: those of a skill, by its "
        "name, or how to create a mode, a slash command, a skill or an MCP server for this "
        "program."
    )
    kind = Kind.READ
    arguments = Arguments
    example = Arguments("create_mode")
    failures = (Reason("unknown_task", "There are no such instructions.", Code.INVALID_ARGUMENTS),)

    async def run(self, arguments: Arguments, context: ToolContext) -> str:
        task = arguments.task.strip()
        for skill in context.services.skills:
            if skill.name == task:
                lies = f"This skill is {skill.path}; other files that it names lie beside it."
                return f"{lies}\n\n{skill.text}"
        own = _built_in()
        if task in own:
            return prompt(f"instructions/{task}.md").strip()
        known = ", ".join((*own, *(skill.name for skill in context.services.skills)))
        raise ToolError(
            f"there are no instructions for {task!r}; there are some for: {known}",
            Code.INVALID_ARGUMENTS,
        )


def _built_in() -> list[str]:
    return sorted(place.stem for place in prompts().glob("instructions/*.md"))


TOOL = FetchInstructions()

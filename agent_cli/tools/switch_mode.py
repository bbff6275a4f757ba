"""switch_mode: go on as somebody else, with other tools."""

from typing import Annotated

from msgspec import Meta

from agent_cli.tools._modes import known_mode
from agent_cli.tools.base import Reason, SwitchMode, Tool, ToolArguments, ToolContext
from agent_cli.types.approval import Words
from agent_cli.types.effects import Effect, Kind
from agent_cli.types.outcomes import Code


class Arguments(ToolArguments, frozen=True):
    mode_slug: Annotated[str, Meta(description="The slug of the mode, such as `code`.")]
    reason: Annotated[
        str | None, Meta(description="Why the work goes on better there; the user is shown it.")
    ] = None


class SwitchModeTool(Tool[Arguments]):
    name = "switch_mode"
    description = (
        "Go on in another mode, when the rest of the work needs what only that mode has. The user "
        "may be asked. It holds from the next call on."
    )
    kind = Kind.ALWAYS
    arguments = Arguments
    example = Arguments("code", "The plan is settled; now it is written.")
    touches = (Effect(Kind.MODE, "mode_slug"),)
    failures = (Reason("unknown_mode", "There is no such mode.", Code.INVALID_ARGUMENTS),)

    def effects(self, arguments: Arguments, context: ToolContext) -> tuple[Effect, ...]:
        slug = known_mode(arguments.mode_slug, context)
        return () if slug == context.mode else (Effect(Kind.MODE, slug),)

    def preview(self, arguments: Arguments, context: ToolContext) -> Words:
        change = f"{context.mode} → {known_mode(arguments.mode_slug, context)}"
        return Words(f"{change}: {arguments.reason}" if arguments.reason else change)

    async def run(self, arguments: Arguments, context: ToolContext) -> SwitchMode | str:
        slug = known_mode(arguments.mode_slug, context)
        if slug == context.mode:
            return f"The mode is {slug} already; nothing was changed."
        why = f" Reason: {arguments.reason}" if arguments.reason else ""
        return SwitchMode(slug, f"The mode was {context.mode} and is {slug} now.{why}")


TOOL = SwitchModeTool()

"""run_slash_command: a prompt that the user or the project has prepared, run by the model."""

from typing import Annotated

from msgspec import Meta

from agent_cli.tools.base import Reason, Services, SwitchMode, Tool, ToolArguments, ToolContext
from agent_cli.types.approval import Words
from agent_cli.types.brought import SlashCommand
from agent_cli.types.effects import Effect, Kind
from agent_cli.types.errors import ToolError
from agent_cli.types.outcomes import Code


class Arguments(ToolArguments, frozen=True):
    command: Annotated[str, Meta(description="The name of the command, without the slash.")]
    args: Annotated[
        str | None, Meta(description="Its arguments, as a user would type them after the name.")
    ] = None


class RunSlashCommand(Tool[Arguments]):
    name = "run_slash_command"
    description = (
        "Run a slash command that the user or the project has defined: its text comes back as "
        "instructions for you to follow. A command that belongs to a mode switches to that mode, "
        "about which the user may be asked."
    )
    kind = Kind.ALWAYS
    arguments = Arguments
    example = Arguments("review", "src/shop/cart.py")
    touches = (Effect(Kind.MODE, "the mode of the command, if it has one"),)
    failures = (Reason("unknown_command", "There is no such command.", Code.INVALID_ARGUMENTS),)
    needs = "a slash command of the user, or of a trusted folder"

    def available(self, services: Services) -> bool:
        return bool(services.commands)

    def effects(self, arguments: Arguments, context: ToolContext) -> tuple[Effect, ...]:
        mode = _found(arguments, context).mode
        return (Effect(Kind.MODE, mode),) if mode not in ("", context.mode) else ()

    def preview(self, arguments: Arguments, context: ToolContext) -> Words:
        found = _found(arguments, context)
        return Words(f"/{found.name} {arguments.args or ''}".rstrip() + f" (mode {found.mode})")

    async def run(self, arguments: Arguments, context: ToolContext) -> SwitchMode | str:
        found = _found(arguments, context)
        text = _instructions(found, (arguments.args or "").strip())
        return SwitchMode(found.mode, text) if found.mode not in ("", context.mode) else text


def _found(arguments: Arguments, context: ToolContext) -> SlashCommand:
    name = arguments.command.strip().removeprefix("/")
    commands = {command.name: command for command in context.services.commands}
    if name not in commands:
        there = ", ".join(commands) or "(none)"
        raise ToolError(
            f"there is no command {name!r}; the commands are: {there}", Code.INVALID_ARGUMENTS
        )
    return commands[name]


def _instructions(command: SlashCommand, args: str) -> str:
    lines = [f"Command: /{command.name}", f"Description: {command.description}"]
    if command.hint:
        lines.append(f"Argument hint: {command.hint}")
    if args:
        lines.append(f"Arguments: {args}")
    lines.append(f"Source: {command.path}")
    return "\n".join(lines) + "\n\n" + command.expanded(args)


TOOL = RunSlashCommand()

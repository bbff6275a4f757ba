"""execute_command: a shell command, run to its end."""

import signal
from pathlib import Path
from typing import Annotated

from msgspec import Meta

from agent_cli.processes.run import Finished
from agent_cli.tools.base import Tool, ToolArguments, ToolContext
from agent_cli.types.approval import CommandLine
from agent_cli.types.effects import Effect, Kind
from agent_cli.types.errors import ToolError
from agent_cli.types.outcomes import Code

"""Seconds."""
LONGEST_TIMEOUT = 600
_READERS = frozenset({"cat", "less", "more", "head", "tail", "grep", "awk", "sed"})


class Arguments(ToolArguments, frozen=True):
    command: Annotated[
        str,
        Meta(
            description="The command, for the user's shell. It gets no input and no terminal: "
            "use the options that avoid questions, pagers and watching."
        ),
    ]
    cwd: Annotated[
        str | None,
        Meta(description="The directory to run in, if not the workspace root."),
    ] = None
    timeout: Annotated[
        Annotated[int, Meta(ge=1, le=LONGEST_TIMEOUT)] | None,
        Meta(description="Seconds until the command is killed; it has a default."),
    ] = None


class ExecuteCommand(Tool[Arguments]):
    name = "execute_command"
    description = (
        "Run a shell command and get its exit code and its output, standard output and error "
        "together. Every call starts afresh in the workspace root: neither the directory nor "
        "variables are kept. A command that never ends is killed; start a server in the "
        "background, with its output sent to a file."
    )
    kind = Kind.EXECUTE
    arguments = Arguments

    def effects(self, arguments: Arguments, context: ToolContext) -> tuple[Effect, ...]:
        command = arguments.command
        if not command.strip() or "\0" in command:
            raise ToolError(
                f"{command!r} is not a command: it is empty or contains a NUL character",
                Code.INVALID_ARGUMENTS,
            )
        _refuse_ignored(command, context)
        place = context.workspace.effect(Kind.READ, arguments.cwd or ".")
        execute = Effect(Kind.EXECUTE, command)
        return (execute, place) if place.outside else (execute,)

    def preview(self, arguments: Arguments, context: ToolContext) -> CommandLine:
        return CommandLine(arguments.command, str(_directory(arguments, context)))

    async def run(self, arguments: Arguments, context: ToolContext) -> str:
        cwd = _directory(arguments, context)
        if not context.workspace.is_dir(arguments.cwd or "."):
            raise ToolError(f"the working directory {arguments.cwd!r} does not exist")
        limit = arguments.timeout or context.services.command_timeout
        try:
            finished = await context.processes.run(
                arguments.command, cwd=cwd, timeout=limit, on_output=context.progress
            )
        except (OSError, ValueError) as error:
            raise ToolError(f"the command could not be started: {error}") from error
        if finished.timed_out:
            raise ToolError(
                f"The command was killed after {limit} seconds in {str(cwd)!r}, with everything "
                "it had started. Do not run it again unchanged: give it more time, less to do, "
                f"or the background.\n{_output(finished)}",
                Code.TIMED_OUT,
            )
        return f"The command ran in {str(cwd)!r}.\n{_status(finished)}\n{_output(finished)}"


def _directory(arguments: Arguments, context: ToolContext) -> Path:
    return context.workspace.root / (arguments.cwd or ".")


def _refuse_ignored(command: str, context: ToolContext) -> None:
    """Refuse the obvious ways to print an ignored file; a shell has others.

    Paths that begin with a slash are left to the approval of the command.
    """
    program, *words = command.split()
    if program.casefold() not in _READERS:
        return
    for word in words:
        name = word.strip("'\"")
        if name and not name.startswith(("-", "/")) and ":" not in name:
            context.workspace.effect(Kind.READ, name)


def _status(finished: Finished) -> str:
    if finished.signal is not None:
        try:
            name = f" ({signal.Signals(finished.signal).name})"
        except ValueError:  # a real-time signal has no name
            name = ""
        return f"It was ended by signal {finished.signal}{name}, not by itself."
    note = " (not successful)" if finished.exit_code else ""
    return f"Exit code: {finished.exit_code}{note}"


def _output(finished: Finished) -> str:
    whole = f"\nThe whole output is in {finished.spilled!r}." if finished.spilled else ""
    if not finished.output:
        return "There was no output."
    return f"Output:\n{finished.output}{whole}"


TOOL = ExecuteCommand()

"""execute_command: run a shell command to its end and say how it ended."""

import signal
from pathlib import Path
from typing import Annotated

from msgspec import Meta

from agent_cli.processes.run import Finished
from agent_cli.tools.base import Output, Tool, ToolArguments, ToolContext
from agent_cli.types.approval import CommandLine, Preview
from agent_cli.types.effects import Effect, Kind
from agent_cli.types.errors import ToolError
from agent_cli.types.outcomes import Code

_TIMEOUT = 120.0
_LONGEST = 600.0


class Arguments(ToolArguments, frozen=True):
    command: Annotated[str, Meta(description="A command line for the user's shell.")]
    cwd: Annotated[
        str | None, Meta(description="Directory to run it in; the workspace root without it.")
    ] = None
    timeout: Annotated[
        float | None, Meta(description="Seconds after which it is ended: 120, at most 600.")
    ] = None


class ExecuteCommand(Tool[Arguments]):
    name = "execute_command"
    description = (
        "Run a command in the user's shell and return its output and exit code. It gets no input "
        "and no terminal. A non-zero exit code is a result like any other; judge it yourself."
    )
    kind = Kind.EXECUTE
    arguments = Arguments

    def effects(self, arguments: Arguments, context: ToolContext) -> tuple[Effect, ...]:
        if not arguments.command.strip():
            raise ToolError("command is empty", Code.INVALID_ARGUMENTS)
        if "\0" in arguments.command:
            raise ToolError("command holds a NUL character", Code.INVALID_ARGUMENTS)
        if arguments.timeout is not None and not 0 < arguments.timeout <= _LONGEST:
            raise ToolError(
                f"timeout {arguments.timeout!r}: give up to {_LONGEST:.0f} seconds",
                Code.INVALID_ARGUMENTS,
            )
        effects = (Effect(Kind.EXECUTE, arguments.command),)
        if arguments.cwd is None:
            return effects
        return (*effects, context.workspace.effect(Kind.READ, arguments.cwd))

    def preview(self, arguments: Arguments, context: ToolContext) -> Preview:
        return CommandLine(arguments.command, str(_directory(arguments, context)))

    async def run(self, arguments: Arguments, context: ToolContext) -> Output:
        if arguments.cwd is not None and not context.workspace.is_dir(arguments.cwd):
            raise ToolError(f"cwd {arguments.cwd!r} is not a directory")
        directory = _directory(arguments, context)
        timeout = arguments.timeout or _TIMEOUT
        try:
            finished = await context.processes.run(
                arguments.command, cwd=directory, timeout=timeout, on_output=context.progress
            )
        except (OSError, ValueError) as error:
            raise ToolError(f"the command could not be started: {error}") from error
        if finished.timed_out:
            message = f"The command was ended after {timeout:.0f} seconds. Output so far:"
            raise ToolError(f"{message}\n{finished.output}", Code.TIMED_OUT)
        return _report(finished, directory)


def _directory(arguments: Arguments, context: ToolContext) -> Path:
    return context.workspace.root / (arguments.cwd or ".")


def _report(finished: Finished, directory: Path) -> str:
    lines = [f"Ran in {directory}"]
    if finished.exit_code is not None:
        lines.append(f"Exit code: {finished.exit_code}")
    if finished.signal is not None:
        lines.append(f"Ended by signal {finished.signal} ({_signal_name(finished.signal)})")
    if finished.spilled is not None:
        lines.append(f"The whole output is in {finished.spilled}")
    lines.append(f"Output:\n{finished.output}" if finished.output else "No output.")
    return "\n".join(lines)


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return "unknown"


TOOL = ExecuteCommand()

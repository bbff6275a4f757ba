"""execute_command: a shell command, run to its end."""

import errno
import posixpath
import re
import signal
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from msgspec import Meta

from agent_cli.processes.run import Finished
from agent_cli.tools.base import Failure, Output, Tool, ToolArguments, ToolContext
from agent_cli.types.approval import CommandLine
from agent_cli.types.effects import Effect, Kind
from agent_cli.types.errors import ToolError
from agent_cli.types.outcomes import Code
from agent_cli.workspace.operands import straying

if TYPE_CHECKING:
    from agent_cli.approval.shell import Parts

LONGEST_TIMEOUT = 600
"""Seconds."""
_BETWEEN_NAMES = re.compile(r"[\s'\"|&;<>(){}=]+")
_MOST_NAMES = 500
"""Words of a command that are looked for as files."""
_NOT_STARTED = frozenset({errno.ENOENT, errno.EACCES, errno.ENOTDIR, errno.ENOEXEC})
"""There is no such program, or it is a script without an interpreter: the shell knows what to do,
and says in its own words what it cannot do."""
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
        outside = [place] if place.outside else []
        if (name := _straying(arguments, context)) is not None:
            outside.append(Effect(Kind.READ, name, outside=True))
        return (Effect(Kind.EXECUTE, command), *outside)

    def preview(self, arguments: Arguments, context: ToolContext) -> CommandLine:
        cwd = str(_directory(arguments, context))
        wall = str(context.processes.wall or "")
        return CommandLine(arguments.command, cwd, wall, _files(arguments, context))

    async def run(self, arguments: Arguments, context: ToolContext) -> Output:
        cwd = _directory(arguments, context)
        if not context.workspace.is_dir(arguments.cwd or "."):
            raise ToolError(f"the working directory {arguments.cwd!r} does not exist")
        limit = arguments.timeout or context.services.command_timeout
        try:
            await context.processes.ready()
            protected = context.workspace.protected() if context.processes.wall else ()
            finished = await _run(arguments.command, cwd, limit, context)
        except (OSError, ValueError) as error:
            raise ToolError(f"the command could not be started: {error}") from error
        if finished.timed_out:
            raise ToolError(
                f"The command was killed after {limit} seconds in {str(cwd)!r}, with everything "
                "it had started. Do not run it again unchanged: give it more time, less to do, "
                f"or the background.\n{_output(finished)}",
                Code.TIMED_OUT,
            )
        told = f"The command ran in {str(cwd)!r}.\n{_status(finished)}\n{_output(finished)}"
        return _walled(told, finished, protected, context)


async def _run(command: str, cwd: Path, limit: float, context: ToolContext) -> Finished:
    """Run without a shell what needs none, so that no shell can read it in another way."""
    run = context.processes.run
    argv = _parts(command).argv
    if argv is not None:
        try:
            return await run(argv, cwd=cwd, timeout=limit, on_output=context.progress)
        except OSError as error:
            if error.errno not in _NOT_STARTED:
                raise
    return await run(command, cwd=cwd, timeout=limit, on_output=context.progress)


def _files(arguments: Arguments, context: ToolContext) -> tuple[tuple[str, str], ...]:
    """Return the files that the command may name, each with a hash of what is in it now."""
    from hashlib import sha256  # noqa: PLC0415 - 5 ms, only for a command that is asked about

    found: dict[str, str] = {}
    for word in _BETWEEN_NAMES.split(arguments.command)[:_MOST_NAMES]:
        path = posixpath.join(arguments.cwd or ".", word)
        with suppress(ToolError):  # what may not be read is no file whose content was approved
            if word and context.workspace.visible(path) and context.workspace.is_file(path):
                found[path] = sha256(context.workspace.read(path)).hexdigest()
    return tuple(sorted(found.items()))


def _straying(arguments: Arguments, context: ToolContext) -> str | None:
    """Return what the command names outside the workspace, if it can be taken apart."""
    operands = _parts(arguments.command).operands
    start = arguments.cwd or "."
    named = [(one.path, one.cwd and posixpath.join(start, one.cwd)) for one in operands]
    return straying(context.workspace, named, home="")


def _walled(
    told: str, finished: Finished, protected: tuple[str, ...], context: ToolContext
) -> Output:
    """Add what a sandbox means for the result; what it could not prevent is a failure."""
    if context.processes.wall is None:
        return told
    new = sorted({*context.workspace.protected()}.difference(protected))
    if new:
        names = ", ".join(new)
        return Failure(f"{told}\n\nIt made what it may not make: {names}. Tell the user of it.")
    if finished.exit_code == 0:
        return told
    return f"{told}\n\nIt ran in a sandbox: {context.processes.limits}."


def _parts(command: str) -> "Parts":
    from agent_cli.approval.shell import parts  # noqa: PLC0415 - 20 ms, and many runs need none

    return parts(command)


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

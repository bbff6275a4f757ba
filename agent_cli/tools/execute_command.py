"""execute_command: a shell command, run to its end or in the background."""

import errno
import re
from pathlib import Path
from typing import Annotated

from msgspec import Meta
from msgspec.structs import replace

from agent_cli.processes._output import LIMIT as OUTPUT_LIMIT
from agent_cli.processes.background import MOST
from agent_cli.processes.run import Finished
from agent_cli.tools import _command_names as names
from agent_cli.tools import _told
from agent_cli.tools.base import Failure, Output, Ran, Reason, Tool, ToolArguments, ToolContext
from agent_cli.types.approval import CommandLine, Preview, Words
from agent_cli.types.effects import Effect, Kind
from agent_cli.types.errors import ToolError
from agent_cli.types.outcomes import Code

LONGEST_TIMEOUT = 600
"""Seconds."""
LONGEST_WAIT = 60
"""Seconds."""
_GIT = re.compile(r"(?<![A-Za-z0-9])[\\'\"]*g[\\'\"]*i[\\'\"]*t(?![A-Za-z0-9])")
"""May be git: the name, however it is quoted."""
_NOT_STARTED = frozenset({errno.ENOENT, errno.EACCES, errno.ENOTDIR, errno.ENOEXEC})
"""There is no such program, or it is a script without an interpreter: the shell knows what to do,
and says in its own words what it cannot do."""


class Arguments(ToolArguments, frozen=True):
    command: Annotated[
        str | None,
        Meta(
            description="The command, for the user's shell. It gets no input and no terminal: "
            "use the options that avoid questions, pagers and watching."
        ),
    ] = None
    cwd: Annotated[
        str | None,
        Meta(description="The directory to run in, if not the workspace root."),
    ] = None
    timeout: Annotated[
        Annotated[int, Meta(ge=1, le=LONGEST_TIMEOUT)] | None,
        Meta(
            description="Seconds until the command is killed; it has a default, but none in the "
            "background."
        ),
    ] = None
    background: Annotated[
        bool | None,
        Meta(
            description="Do not wait for the end; the result names a process_id. For servers, "
            "watchers, and what takes minutes."
        ),
    ] = None
    process_id: Annotated[
        str | None,
        Meta(
            description="Instead of command: look at a command in the background. The result is "
            "its output since the last look, and whether it still runs."
        ),
    ] = None
    wait: Annotated[
        Annotated[int, Meta(ge=0, le=LONGEST_WAIT)] | None,
        Meta(description="With background or process_id: seconds to wait for the end first."),
    ] = None
    stop: Annotated[
        bool | None,
        Meta(description="With process_id: end it first, with everything that it started."),
    ] = None

    def text(self) -> str | None:
        """Return the command; None for a look at one in the background. Raises ToolError."""
        if (self.command is None) == (self.process_id is None):
            raise _invalid("give either command or process_id")
        starting = (self.cwd, self.timeout, self.background)
        if self.command is None:
            if starting != (None, None, None):
                raise _invalid("cwd, timeout and background go with command, not with process_id")
            return None
        if self.stop is not None or (self.wait is not None and not self.background):
            raise _invalid("stop and wait are for a command in the background")
        if not self.command.strip() or "\0" in self.command:
            raise _invalid(
                f"{self.command!r} is not a command: it is empty or contains a NUL character"
            )
        return self.command


class ExecuteCommand(Tool[Arguments]):
    name = "execute_command"
    description = (
        "Run a shell command and get its exit code and its output, standard output and error "
        "together. Every call starts afresh in the workspace root: neither the directory nor "
        "variables are kept. A command that does not end in time is killed: start a server with "
        "background, and look at it with process_id. Everything ends with the session."
    )
    kind = Kind.EXECUTE
    arguments = Arguments
    example = Arguments("python -m pytest -q tests/test_cart.py", timeout=300)
    touches = (
        Effect(Kind.EXECUTE, "command"),
        Effect(Kind.READ, "what command or cwd names outside the workspace", outside=True),
    )
    limits = (
        f"{OUTPUT_LIMIT:,} characters of output: its beginning and its end. All of it is kept in "
        "a file that the result names.",
        "The seconds of `command_timeout` in the settings, unless `timeout` says otherwise; at "
        f"most {LONGEST_TIMEOUT}.",
        f"{LONGEST_WAIT} seconds of waiting for a command in the background.",
        f"{MOST} commands in the background at a time; all end with the session.",
    )
    failures = (
        Reason(
            "which",
            "Neither or both of command and process_id are given, something that goes only with "
            "the other, or a command that is blank or holds NUL.",
            Code.INVALID_ARGUMENTS,
        ),
        Reason(
            "blocked",
            "The command would print a file that may not be read, or cwd may not be read.",
            Code.BLOCKED_PATH,
        ),
        Reason("cwd", "The directory to run in does not exist."),
        Reason("start", "The command cannot be started, or too many run in the background."),
        Reason("timeout", "The command was killed when its time was over.", Code.TIMED_OUT),
        Reason("process_id", "No command in the background has this id."),
        Reason("protected", "In a sandbox, the command made what it may not make."),
    )

    def effects(self, arguments: Arguments, context: ToolContext) -> tuple[Effect, ...]:
        command = arguments.text()
        if command is None:
            return ()  # what it may do was decided when it was started
        names.refuse_ignored(command, context.workspace)
        place = context.workspace.effect(Kind.READ, arguments.cwd or ".")
        outside = [place] if place.outside else []
        name = names.strays(command, arguments.cwd or ".", context.workspace)
        if name is not None:
            outside.append(Effect(Kind.READ, name, outside=True))
        return (Effect(Kind.EXECUTE, command), *outside)

    def preview(self, arguments: Arguments, context: ToolContext) -> Preview:
        command = arguments.text()
        if command is None:
            return Words(f"look at process {arguments.process_id!r}")
        cwd = str(_directory(arguments, context))
        wall = str(context.processes.wall or "")
        files = names.files(command, arguments.cwd or ".", context.workspace)
        return CommandLine(command, cwd, wall, files)

    async def unattended(self, arguments: Arguments, context: ToolContext) -> ToolContext | None:
        """Keep git from starting what the repository's own configuration names."""
        command = arguments.text()
        processes = context.processes
        if command is None or not _GIT.search(command) or not processes.finds("git"):
            return context
        from agent_cli.processes.git import neutral  # noqa: PLC0415 - 5 ms, for git alone

        places = names.places(command, _directory(arguments, context))
        extra = await neutral(processes.forgetting(), places, processes.environ)
        return None if extra is None else replace(context, processes=processes.adding(extra))

    async def run(self, arguments: Arguments, context: ToolContext) -> Output:
        command = arguments.text()
        if command is None:
            return await _look(arguments.process_id or "", arguments, context)
        cwd = _directory(arguments, context)
        if not context.workspace.is_dir(arguments.cwd or "."):
            raise ToolError(f"the working directory {arguments.cwd!r} does not exist")
        limit = arguments.timeout or context.services.command_timeout
        try:
            await context.processes.ready()
            protected = context.workspace.protected() if context.processes.wall else ()
            if arguments.background:
                return await _start(command, cwd, arguments, context)
            finished = await _run(command, cwd, limit, context)
        except (OSError, ValueError) as error:
            raise ToolError(f"the command could not be started: {error}") from error
        if finished.timed_out:
            raise ToolError(
                f"The command was killed after {limit} seconds in {str(cwd)!r}, with everything "
                "it had started. Do not run it again unchanged: give it more time, less to do, "
                f"or the background.\n{_told.output(finished)}",
                Code.TIMED_OUT,
            )
        told = (
            f"The command ran in {str(cwd)!r}.\n{_told.status(finished)}\n{_told.output(finished)}"
        )
        return _walled(told, finished, protected, context)


async def _start(command: str, cwd: Path, arguments: Arguments, context: ToolContext) -> str:
    process_id = await context.processes.start(command, cwd=cwd, timeout=arguments.timeout)
    return await _look(process_id, arguments, context)


async def _look(process_id: str, arguments: Arguments, context: ToolContext) -> str:
    background = context.processes.background
    try:
        if arguments.stop:
            return _told.glimpse(process_id, await background.stop(process_id))
        seen = await background.poll(process_id, wait=arguments.wait or 0)
    except KeyError:
        known = ", ".join(f"{one}: {command}" for one, command in background.running().items())
        raise ToolError(
            f"no command in the background has the process_id {process_id!r}; "
            f"those that run: {known or 'none'}"
        ) from None
    return _told.glimpse(process_id, seen)


async def _run(command: str, cwd: Path, limit: float, context: ToolContext) -> Finished:
    """Run without a shell what needs none, so that no shell can read it in another way."""
    run = context.processes.run
    argv = names.parts(command).argv
    if argv is not None and ("/" in argv[0] or context.processes.finds(argv[0])):
        try:
            return await run(argv, cwd=cwd, timeout=limit, on_output=context.progress)
        except OSError as error:
            if error.errno not in _NOT_STARTED:
                raise
    return await run(command, cwd=cwd, timeout=limit, on_output=context.progress)


def _walled(
    told: str, finished: Finished, protected: tuple[str, ...], context: ToolContext
) -> Output:
    """Add what a sandbox means for the result; what it could not prevent is a failure."""
    ran = Ran(told, finished.exit_code)
    if context.processes.wall is None:
        return ran
    new = sorted({*context.workspace.protected()}.difference(protected))
    if new:
        names = ", ".join(new)
        return Failure(f"{told}\n\nIt made what it may not make: {names}. Tell the user of it.")
    if finished.exit_code == 0:
        return ran
    return Ran(f"{told}\n\nIt ran in a sandbox: {context.processes.limits}.", ran.exit_code)


def _directory(arguments: Arguments, context: ToolContext) -> Path:
    return context.workspace.root / (arguments.cwd or ".")


def _invalid(message: str) -> ToolError:
    return ToolError(message, Code.INVALID_ARGUMENTS)


TOOL = ExecuteCommand()

"""`agent tool`: one built-in tool, run by a script, an editor or a test instead of a model.

Whatever a model could write goes through dispatch and has an outcome: an unknown tool and invalid
arguments are `failed`. Only wrong use of the command itself (2) or of the settings (52) ends
without one.
"""

import asyncio
import os
import sys
from pathlib import Path
from typing import IO, Annotated, Protocol, TextIO, TypeAlias, cast

import typer

from agent_cli.cli.ascii_json import ascii_json
from agent_cli.cli.bringing import brought
from agent_cli.cli.options import directory
from agent_cli.cli.trusting import folders_servers, standing_of
from agent_cli.context.replies import result_text
from agent_cli.engine.outcomes import EXIT_STATUS, Verdict
from agent_cli.frontends.headless.streams import Lasting, put
from agent_cli.frontends.stopping import VERDICTS, stopping
from agent_cli.i18n.catalog import say
from agent_cli.runtime.frontend import Frontend
from agent_cli.runtime.one_call import OneCall
from agent_cli.runtime.toolbox import Options
from agent_cli.settings.credentials import bring_keys
from agent_cli.settings.load import load
from agent_cli.types import approval
from agent_cli.types.messages import ToolResult
from agent_cli.types.outcomes import Outcome

_FORMATS = ("json", "text")

_STATUS = {
    Outcome.OK: Verdict.COMPLETED,
    Outcome.DENIED: Verdict.DENIED,
    Outcome.REJECTED: Verdict.DENIED,
}
"""Every other outcome is a failure."""

Name: TypeAlias = Annotated[str, typer.Argument(metavar="NAME", help="read_file, say.")]
Arguments: TypeAlias = Annotated[
    str, typer.Argument(metavar="ARGS_JSON", help="The tool's arguments, a JSON object.")
]
Cwd: TypeAlias = Annotated[
    Path | None, typer.Option("--cwd", "-C", help="The workspace, if not this directory.")
]
AddDir: TypeAlias = Annotated[
    list[Path] | None, typer.Option("--add-dir", help="One more directory to work in.")
]
Yes: TypeAlias = Annotated[bool, typer.Option("--yes", help="Approve every question.")]
No: TypeAlias = Annotated[bool, typer.Option("--no", help="Decline every question.")]
Format: TypeAlias = Annotated[
    str, typer.Option("--format", help="json: the result alone. text: what a person would see.")
]


class Asked(Frontend, Protocol):
    """A frontend that knows whether approval was requested."""

    asked: bool


def command(
    name: Name,
    arguments: Arguments,
    cwd: Cwd = None,
    add_dir: AddDir = None,
    yes: Yes = False,
    no: No = False,
    format_: Format = "json",
) -> None:
    """Run one tool through modes, approval and path gate, in a session that is not kept.

    JSON is one object: status, asked, content. A question is put on the terminal, if standard
    input and standard error are one; `y` approves, anything else declines. With no terminal a
    question is a denial. Exit status: 0 ok, 4 denied or rejected, 3 failed, 2 wrong use,
    52 wrong settings, 130 and 143 for a signal.
    """
    if yes and no:
        raise typer.BadParameter(say("--yes and --no contradict each other"))
    if format_ not in _FORMATS:
        raise typer.BadParameter(
            say("{format!r} is neither json nor text", format=format_), param_hint="--format"
        )
    root = directory(cwd)
    bring_keys(os.environ, root)
    settings = load(os.environ)
    added = tuple(directory(path, "--add-dir") for path in add_dir or ())
    options = _options(root, added)
    frontend = _frontend(_answer(yes=yes, no=no), text=format_ == "text")
    call = OneCall(settings, options, frontend)
    stopped = asyncio.run(_until_stopped(call, name, arguments))
    if format_ == "json":
        put(ascii_json(_report(call.result, asked=frontend.asked)))
    status = _STATUS.get(call.result.outcome, Verdict.UNRESOLVED)
    raise typer.Exit(EXIT_STATUS[stopped or status])


def _options(root: Path, added: tuple[Path, ...]) -> Options:
    standing = standing_of(root, os.environ)
    return Options(
        root,
        os.environ,
        model="",
        add_dirs=added,
        ephemeral=True,
        spills=False,  # whoever reads the result could not read the file any more
        demonstrates=True,
        folders_servers=folders_servers(standing),
        brought=brought(root, os.environ, standing),
    )


async def _until_stopped(call: OneCall, name: str, arguments: str) -> Verdict | None:
    """Make the call; return which signal ended it, if one did."""
    task = asyncio.ensure_future(call.run(name, arguments))
    with stopping(task, list(VERDICTS)) as received:
        await asyncio.wait({task})
    if not task.cancelled():
        task.result()
        return None
    return received[0] if received else Verdict.INTERRUPTED


def _answer(*, yes: bool, no: bool) -> approval.Verdict | None:
    """Return what every question is answered with, None if somebody is there to say it."""
    if yes or no:
        return approval.Verdict(approved=yes)
    if _is_terminal(sys.stdin) and _is_terminal(sys.stderr):
        return None
    return approval.Verdict(approved=False, answered=False)


def _is_terminal(stream: TextIO | None) -> bool:
    return stream is not None and stream.isatty()  # None: it was closed before we started


def _frontend(answer: approval.Verdict | None, *, text: bool) -> Asked:
    if answer is not None and not text:
        from agent_cli.frontends.headless.one_call import FixedAnswer  # noqa: PLC0415 - no rich

        return FixedAnswer(answer)
    from rich.console import Console  # noqa: PLC0415 - 40 ms that JSON does not need

    from agent_cli.frontends.terminal.line import read_line  # noqa: PLC0415 - as above
    from agent_cli.frontends.terminal.one_call import OneCallFrontend, Person  # noqa: PLC0415
    from agent_cli.frontends.terminal.writer import Writer  # noqa: PLC0415 - as above

    def console(stream: TextIO) -> Console:
        return Console(file=cast("IO[str]", Lasting(stream)), highlight=False)

    output = Writer(console(sys.stdout)) if text else None
    if answer is not None:
        return OneCallFrontend(output, answer)
    same = output is not None and _same_terminal()
    writer = output if same and output else Writer(console(sys.stderr))
    return OneCallFrontend(output, Person(writer, lambda: read_line(sys.stdin.fileno())))


def _same_terminal() -> bool:
    """Whether standard output and standard error are the same terminal."""
    output = sys.stdout.fileno()
    return os.isatty(output) and os.ttyname(output) == os.ttyname(sys.stderr.fileno())


def _report(result: ToolResult, *, asked: bool) -> dict[str, object]:
    content: object = result_text(result)
    if result.images:
        images = [
            {"type": "image", "media_type": image.media_type, "data": image.data}
            for image in result.images
        ]
        content = [{"type": "text", "text": content}, *images]
    return {"status": result.outcome.value, "asked": asked, "content": content}

"""`agent import roo`: bring over what a folder is set up with for another program.

Everything that would be written is shown first. Nothing is overwritten, and what is written acts
only once the folder is trusted.
"""

import sys
from pathlib import Path
from typing import Annotated

import typer

from agent_cli.cli.options import directory
from agent_cli.cli.trust_view import one_line, refused
from agent_cli.context.roo import MODES, Imported, Written, converted, tops
from agent_cli.i18n.catalog import say
from agent_cli.trust.manifest import Manifest, Refusal, manifest
from agent_cli.types.errors import ToolError
from agent_cli.workspace.gate import Workspace

_YES = frozenset({"y", "yes"})


def command(
    program: Annotated[str, typer.Argument(metavar="roo", help="Whose files: roo.")],
    folder: Annotated[
        Path | None, typer.Argument(metavar="[DIR]", help="The folder; this one without it.")
    ] = None,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Write without a question.")] = False,
) -> None:
    """Bring over modes, rules, commands, servers and ignored files of Roo Code.

    Shows what it would write and asks. Without a terminal and without --yes it only shows.
    """
    if program != "roo":
        raise typer.BadParameter(say("only roo can be imported"), param_hint="roo")
    root = directory(folder)
    workspace = Workspace(root)
    seen = _seen(root)
    found = converted({file.path: file.content for file in seen.files})
    new = [one for one in found.files if not _is_there(workspace, one.path)]
    sys.stdout.write("\n".join(_shown(found, new, seen.refusals)) + "\n")
    if new and (yes or _agreed()):
        failed = _write(workspace, new)
        sys.stdout.write(say("written; look at it and trust it with `agent trust`") + "\n")
        if failed:
            raise typer.Exit(1)
    elif new:
        sys.stdout.write(say("nothing was written; --yes writes") + "\n")


def _seen(root: Path) -> Manifest:
    """Read the folder's files: bounded, and no link is followed."""
    modes = manifest(root, (MODES,)).content(MODES)
    return manifest(root, tops(modes))


def _is_there(workspace: Workspace, path: str) -> bool:
    try:
        return workspace.is_file(path)
    except ToolError:  # writing it will say why
        return False


def _shown(found: Imported, new: list[Written], refusals: tuple[Refusal, ...]) -> list[str]:
    lines: list[str] = []
    for one in found.files:
        path, source = one_line(one.path), one_line(one.source)
        if one in new:
            lines.append(say("{path}  from {source}", path=path, source=source))
        else:
            lines.append(say("{path}  is there already and stays as it is", path=path))
    for remark in found.remarks:
        source, why = one_line(remark.source), one_line(remark.why)
        lines.append(say("{source} is not brought over: {why}", source=source, why=why))
    lines += [say("not brought over: {why}", why=refused(refusal)) for refusal in refusals]
    return lines or [say("there is nothing to bring over")]


def _agreed() -> bool:
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        return False
    sys.stdout.write(say("Write these files? [y]es, [N]o: "))
    sys.stdout.flush()
    return sys.stdin.readline().strip().lower() in _YES


def _write(workspace: Workspace, files: list[Written]) -> bool:
    """Write the files; say which could not be, and return whether there was one."""
    failed = False
    for one in files:
        try:
            workspace.write(one.path, one.text.encode(), expected=None)
        except ToolError as error:
            failed = True
            sys.stderr.write(f"{one_line(one.path)}: {one_line(str(error))}\n")
    return failed

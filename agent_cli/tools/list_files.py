"""list_files: the names in a directory."""

import asyncio
import os
from collections.abc import Generator
from contextlib import closing
from pathlib import Path, PurePosixPath
from typing import Annotated

from msgspec import Meta

from agent_cli.tools._listing import order
from agent_cli.tools._reasons import BLOCKED, UNREADABLE
from agent_cli.tools.base import Reason, Tool, ToolArguments, ToolContext
from agent_cli.types.approval import Words
from agent_cli.types.effects import Effect, Kind
from agent_cli.types.errors import ToolError
from agent_cli.workspace.gate import Workspace

LIMIT = 200
"""Names in one result."""
_CLOSED = frozenset(
    {
        "node_modules", "__pycache__", "env", "venv", "dist", "out", "bundle", "vendor",
        "tmp", "temp", "deps", "pkg", "Pods",
    }
)  # fmt: skip
"""Directories that are named but not looked into: nobody wrote what they hold."""
_CLOSED_PAIRS = frozenset({("target", "dependency"), ("build", "dependencies")})


class Arguments(ToolArguments, frozen=True):
    path: Annotated[str, Meta(description="The directory, relative to the workspace root.")]
    recursive: Annotated[
        bool | None,
        Meta(description="Whether to list what lies below its subdirectories too."),
    ] = None


class ListFiles(Tool[Arguments]):
    name = "list_files"
    description = (
        "List the files and directories in a directory, paths relative to it, directories "
        f"ending in '/'. At most {LIMIT} names. What .gitignore covers is left out; recursion "
        "does not enter hidden directories and those that hold dependencies or build output, "
        "unless you name one of them."
    )
    kind = Kind.READ
    arguments = Arguments
    example = Arguments("src", recursive=True)
    touches = (Effect(Kind.READ, "path"),)
    limits = (f"{LIMIT} names.",)
    failures = (
        BLOCKED,
        UNREADABLE,
        Reason("everything", "All below the root of the machine, or below the home, is asked for."),
    )

    def effects(self, arguments: Arguments, context: ToolContext) -> tuple[Effect, ...]:
        return (context.workspace.effect(Kind.READ, arguments.path),)

    def preview(self, arguments: Arguments, context: ToolContext) -> Words:
        depth = "with everything below it" if arguments.recursive else "its top level"
        return Words(f"list {arguments.path!r}, {depth}")

    async def run(self, arguments: Arguments, context: ToolContext) -> str:
        return await asyncio.to_thread(_list, arguments, context.workspace)


def _list(arguments: Arguments, workspace: Workspace) -> str:
    recursive = bool(arguments.recursive)
    if recursive:
        _refuse_everything(arguments.path, workspace)
    # A directory comes after the one that holds it, so the limit never cuts off the top level
    # in favour of something deeper.
    found: list[tuple[str, bool]] = []
    with closing(_names(workspace, arguments.path, recursive=recursive)) as names:
        try:
            for name in names:
                if len(found) == LIMIT:
                    return _render(found, f"at {LIMIT} names: list a part of it")
                found.append(name)
        except ToolError as error:  # too much is hidden: what came first is worth something
            if not found:
                raise
            return _render(found, str(error))
    return _render(found) if found else "No files found."


def _render(found: list[tuple[str, bool]], end: str = "") -> str:
    found.sort(key=lambda name: order(name[0], is_dir=name[1]))
    names = "\n".join(path + ("/" if is_dir else "") for path, is_dir in found)
    return f"{names}\n\nThe list ends here, {end}." if end else names


def _names(workspace: Workspace, path: str, *, recursive: bool) -> Generator[tuple[str, bool]]:
    """Yield names as seen from the directory; one that may not be read is named, no more."""
    entries = workspace.walk(path, enter=lambda below: recursive and not _is_closed(below))
    above = -1
    for entry in entries:
        if above < 0:  # the first lies in the directory itself
            above = len(entry.path) - len(PurePosixPath(entry.path).name)
        yield entry.path[above:], entry.is_dir


def _is_closed(path: str) -> bool:
    return path.rpartition("/")[2].startswith(".") or holds_what_nobody_wrote(path)


def holds_what_nobody_wrote(path: str) -> bool:
    """Whether a directory of that name is one of dependencies or build output."""
    parts = path.split("/")
    return parts[-1] in _CLOSED or tuple(parts[-2:]) in _CLOSED_PAIRS


def _refuse_everything(path: str, workspace: Workspace) -> None:
    top = workspace.root / workspace.effect(Kind.READ, path).target
    if top in {Path("/"), Path(os.path.realpath(os.path.expanduser("~")))}:  # noqa: PTH111 - any user
        raise ToolError(
            f"{str(top)!r} is too much to list: name a directory in it, or not recursive"
        )


TOOL = ListFiles()

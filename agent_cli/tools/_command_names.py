"""What a command names: files whose content an approval is for, places of git, what lies outside.

`start` is where the command starts, as the call spells it.
"""

import posixpath
import re
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from agent_cli.types.effects import Kind
from agent_cli.types.errors import ToolError
from agent_cli.workspace.gate import Workspace
from agent_cli.workspace.operands import straying

if TYPE_CHECKING:
    from agent_cli.approval.shell import Parts

_BETWEEN_NAMES = re.compile(r"[\s'\"|&;<>(){}=]+")
_MOST_NAMES = 500
"""Words of a command that are looked for as files."""
_MOST_DIRECTORIES = 4
"""In which they are looked for."""
_READERS = frozenset({"cat", "less", "more", "head", "tail", "grep", "awk", "sed"})


def parts(command: str) -> "Parts":
    from agent_cli.approval.shell import parts  # noqa: PLC0415 - 20 ms, and many runs need none

    return parts(command)


def files(command: str, start: str, workspace: Workspace) -> tuple[tuple[str, str], ...]:
    """Return the files that the command may name, each with a hash of what is in it now."""
    from hashlib import sha256  # noqa: PLC0415 - 5 ms, only for a command that is asked about

    found: dict[str, str] = {}
    for path in _named(command, start, workspace):
        with suppress(ToolError):  # what may not be read is no file whose content was approved
            if workspace.visible(path) and workspace.is_file(path):
                found[path] = sha256(workspace.read(path)).hexdigest()
    return tuple(sorted(found.items()))


def _named(command: str, start: str, workspace: Workspace) -> Iterator[str]:
    """Yield every path that a word may mean, where it starts or in a directory that it names."""
    words = [word for word in _BETWEEN_NAMES.split(command) if word][:_MOST_NAMES]
    operands = parts(command).operands[:_MOST_NAMES]
    words += [posixpath.join(one.cwd, one.path) for one in operands]
    places = {start: None}
    for word in words:
        path = posixpath.join(start, word)
        with suppress(ToolError):
            if len(places) < _MOST_DIRECTORIES and workspace.visible(path):
                places |= {path: None} if workspace.is_dir(path) else {}
    for place in places:
        yield from (posixpath.join(place, word) for word in dict.fromkeys(words))


def places(command: str, start: Path) -> list[Path]:
    """Return the directories in which the command may have git work."""
    operands = parts(command).operands
    named = [start / one.cwd for one in operands] + [start / one.cwd / one.path for one in operands]
    return [start, *(path for path in named if path.is_dir())]


def strays(command: str, start: str, workspace: Workspace) -> str | None:
    """Return what the command names outside the workspace, if it can be taken apart."""
    operands = parts(command).operands
    named = [(one.path, one.cwd and posixpath.join(start, one.cwd)) for one in operands]
    return straying(workspace, named, home="")


def refuse_ignored(command: str, workspace: Workspace) -> None:
    """Refuse the obvious ways to print an ignored file; a shell has others.

    Paths that begin with a slash are left to the approval of the command.
    """
    program, *words = command.split()
    if program.casefold() not in _READERS:
        return
    for word in words:
        name = word.strip("'\"")
        if name and not name.startswith(("-", "/")) and ":" not in name:
            workspace.effect(Kind.READ, name)

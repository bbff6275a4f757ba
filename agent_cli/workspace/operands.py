"""Whether what a command names lies in the workspace, by every way in which a shell reaches it.

Nothing is opened. What cannot be told counts as straying: the user is asked.
"""

# Paths are strings here: they may hold any byte.
# ruff: noqa: PTH118

import os
import re
from collections.abc import Iterable
from fnmatch import fnmatchcase

from agent_cli.types.effects import Kind
from agent_cli.types.errors import ToolError
from agent_cli.workspace.gate import Workspace

_MOST = 2000
"""Names that are looked at for one command."""
_LONGEST_NAME = 255
_MAGIC = re.compile(r"[*?\[]")


def straying(workspace: Workspace, named: Iterable[tuple[str, str]], home: str) -> str | None:
    """Return the first name that leads out of the workspace; None if all stay inside.

    A name comes with the directory from which it is seen, relative to the workspace's root, or
    empty if that is not known.
    """
    looked_at = 0
    for name, place in named:
        for path in _reached(str(workspace.root), name, place, home):
            looked_at += 1
            if looked_at > _MOST or not _is_inside(workspace, path):
                return name
    return None


def _reached(root: str, name: str, place: str, home: str) -> list[str]:
    """Return what of the name can lead out; an empty path stands for what cannot be told."""
    if not name:
        return []
    found: list[str] = []
    if name.startswith("~"):
        user, slash, rest = name.partition("/")
        found.append(home + slash + rest if user == "~" else "")
    if not place and not name.startswith("/"):
        return [""]
    base = os.path.join(root, place)
    path = os.path.join(base, name)
    if _can_lead_out(base, name):
        found.append(path)
    if _MAGIC.search(name):
        found.extend(_matches(path))
    return found


def _can_lead_out(base: str, name: str) -> bool:
    """Whether the name exists, begins where the base does not, or goes up."""
    first, *others = name.split("/")
    if not first or ".." in (first, *others, *base.split("/")):
        return True
    if max(map(len, (first, *others))) > _LONGEST_NAME:
        return False  # no system call takes it
    return os.path.lexists(os.path.join(base, first))


def _is_inside(workspace: Workspace, path: str) -> bool:
    try:
        return bool(path) and not workspace.effect(Kind.READ, path).outside
    except ToolError:  # ignored, special, or not to be looked at
        return False


def _matches(pattern: str) -> list[str]:
    """Return the links among what a pattern matches, or more: a bracket counts as `*`.

    An empty path stands for what cannot be told.
    """
    head, *rest = _parts(pattern)
    if any(part == ".." or _may_mean_up(part) for part in rest):
        return [""]
    found: list[str] = []
    waiting = [(head, rest)]
    seen = 0
    while waiting:
        folder, parts = waiting.pop()
        part, *rest = parts
        names = re.compile(_expression(part))
        for entry in _entries(folder):
            seen += 1
            if seen > _MOST:
                return [""]
            if not names.fullmatch(entry.name):
                continue
            if entry.is_symlink():
                found.append("" if rest else entry.path)
            elif rest and entry.is_dir(follow_symlinks=False):
                waiting.append((entry.path, rest))
    return found


def _may_mean_up(part: str) -> bool:
    """Whether the pattern matches `..`, which some shells then take."""
    return part.startswith(".") and fnmatchcase("..", part.replace("[^", "[!"))


def _parts(pattern: str) -> list[str]:
    """Return the directory before the first pattern, then one name or pattern each."""
    found = pattern.split("/")
    first = next(at for at, part in enumerate(found) if _MAGIC.search(part))
    return [
        "/".join(found[:first]) or "/",
        *(part for part in found[first:] if part not in {"", "."}),
    ]


def _expression(part: str) -> str:
    if "[" in part:
        return _expression(part.partition("[")[0]) + ".*"
    return "".join({"*": ".*", "?": "."}.get(sign) or re.escape(sign) for sign in part)


def _entries(folder: str) -> list["os.DirEntry[str]"]:
    try:
        with os.scandir(folder) as entries:
            return list(entries)
    except (OSError, ValueError):  # ValueError: no file has such a name
        return []  # a shell finds nothing there either

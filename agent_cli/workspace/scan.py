"""What lies in a tree, seen by its status alone: how a change is noticed without reading.

Left out is what .gitignore covers, every `.git`, and what is neither file, link nor directory. Of
files that .agentignore refuses, and of those that hold keys, it is only told that they are there.
"""

# Paths are strings here: they may hold any byte, and most are reached by descriptor.

import os
import stat
from collections.abc import Callable
from typing import TypeAlias

from agent_cli.types.errors import BlockedPathError, ToolError
from agent_cli.workspace._descend import directory
from agent_cli.workspace._draft import is_temporary
from agent_cli.workspace._secrets import is_secret
from agent_cli.workspace.ignore import Hiding, Refusals, refusals
from agent_cli.workspace.placing import plain

MOST_NAMES = 100_000
"""Names after which a scan raises."""

Stamp: TypeAlias = tuple[int, int, int, int, int]
"""Mode as a `Thing` has it, and of what is no directory: inode, size, mtime and ctime in ns."""

_RULES = (".gitignore", ".agentignore")
_DIRECTORY = (0, 0, 0, 0)


class Scanner:
    """Scans one root, again and again: what a name means to the ignore files is decided once."""

    def __init__(self, root: str) -> None:
        self.root = root
        self._rules: dict[str, Stamp] = {}
        self._hidden: dict[str, bool] = {}
        self.refused: set[str] = set()
        """Paths of files whose content nobody may keep."""

    def scan(self, step: Callable[[], None]) -> dict[str, Stamp]:
        """Return what there is by path relative to the root; a directory's ends with a slash.

        `step` is called at each directory: it may let others work, or give up by raising.
        Raises OSError if the root cannot be listed, ToolError for `MOST_NAMES` and more.
        """
        found = self._scan(step)
        rules = {path: one for path, one in found.items() if path.endswith(_RULES)}
        if rules != self._rules:
            self._rules = rules
            self._hidden.clear()
            self.refused.clear()
            found = self._scan(step)
        return found

    def _scan(self, step: Callable[[], None]) -> dict[str, Stamp]:
        judge = _Judge(self.root)
        found: dict[str, Stamp] = {}
        waiting = [""]
        while waiting:
            step()
            prefix = waiting.pop()
            try:
                with directory(self.root + "/" + prefix) as folder, os.scandir(folder) as names:
                    self._list(list(names), prefix, judge, found, waiting)
            except OSError:
                if not prefix:
                    raise
            if len(found) > MOST_NAMES:
                raise ToolError(f"more than {MOST_NAMES} files and directories in {self.root!r}")
        return found

    def _list(
        self,
        names: "list[os.DirEntry[str]]",
        prefix: str,
        judge: "_Judge",
        found: dict[str, Stamp],
        waiting: list[str],
    ) -> None:
        hidden = self._hidden
        for entry in names:
            path = prefix + entry.name
            try:
                one = entry.stat(follow_symlinks=False)
            except FileNotFoundError:
                continue
            mode = one.st_mode
            is_dir = stat.S_ISDIR(mode)
            if is_dir:
                path += "/"
            covered = hidden.get(path)
            if covered is None:
                covered = hidden[path] = judge.hides(path, self.refused)
            if covered or not (is_dir or stat.S_ISREG(mode) or stat.S_ISLNK(mode)):
                continue
            if is_dir:
                found[path] = (mode, *_DIRECTORY)
                waiting.append(path)
            else:
                found[path] = (
                    plain(mode), one.st_ino, one.st_size, one.st_mtime_ns, one.st_ctime_ns
                )  # fmt: skip


class _Judge:
    """The ignore files of one root, as they are during one scan."""

    def __init__(self, root: str) -> None:
        self._hiding = Hiding(root)
        self._refusals: Refusals | None
        try:
            self._refusals = refusals(root)
        except BlockedPathError:  # it cannot be used, and then everything is refused
            self._refusals = None

    def hides(self, path: str, refused: set[str]) -> bool:
        """Whether the path is left out; one that is refused is added to the others."""
        is_dir, relative = path.endswith("/"), path.rstrip("/")
        folder, slash, name = relative.rpartition("/")
        if is_temporary(name) or self._hiding.hides(folder + slash, name, is_dir=is_dir):
            return True
        if self._refuses(relative, is_dir=is_dir):
            refused.add(path)
        return False

    def _refuses(self, relative: str, *, is_dir: bool) -> bool:
        rules = self._refusals
        if rules is None or rules.refuses(relative, is_dir=is_dir):
            return True
        return is_secret(relative) and not rules.lifts(relative)

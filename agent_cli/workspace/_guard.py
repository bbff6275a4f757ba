"""What the gate lets through: refused content, places outside the roots, other names of a file."""

# Paths are strings here: they may hold any byte, and most are reached by descriptor.
# ruff: noqa: PTH112, PTH119

import errno
import os
import stat
from collections.abc import Callable, Generator, Iterable, Mapping
from contextlib import contextmanager
from functools import cached_property
from typing import TypeAlias

from agent_cli.types.errors import BlockedPathError, ToolError
from agent_cli.workspace import files
from agent_cli.workspace._descend import status
from agent_cli.workspace._links import Links
from agent_cli.workspace._locate import Location, is_protected, lies_in, locate, relative_to
from agent_cli.workspace._secrets import is_secret
from agent_cli.workspace.ignore import IGNORE_FILE, Hiding, Refusals, refusals

Witness: TypeAlias = Callable[[str, bytes], None]
"""Is told what is read, and of which file, as effects spell it."""


class Guard:
    """Decides for one set of roots; `granted` are targets outside them."""

    def __init__(self, roots: tuple[str, ...], granted: frozenset[str]) -> None:
        self.roots = roots
        self.witness: Witness | None = None
        self._foreseen: dict[str, bytes] = {}
        self._granted = granted
        self._links = Links(roots)

    def locate(self, path: str) -> Location:
        """Resolve the path; BlockedPathError for what is refused to everybody."""
        location = locate(self.roots, path)
        self._refuse((location.path, location.named), path)
        return location

    def reach(self, path: str) -> Location:
        """Resolve a path that is about to be touched; BlockedPathError if it may not be."""
        location = self.locate(path)
        if location.outside and not any(lies_in(one, location.target) for one in self._granted):
            raise BlockedPathError(f"{path!r} lies outside the workspace, and was not approved")
        if means_directory(path):
            with told("use", path):
                _refuse_file(location)
        return location

    def foresee(self, contents: Mapping[str, bytes]) -> None:
        """Take it from now on that these files hold this."""
        self._foreseen = {self.locate(path).path: one for path, one in contents.items()}

    def is_a(self, path: str, format_: int) -> bool:
        """Whether a file of this format lies at the path."""
        location = self.reach(path)
        if location.path in self._foreseen:
            return format_ == stat.S_IFREG
        with told("look at", path):
            found = status(location.path)
        return found is not None and stat.S_IFMT(found.st_mode) == format_

    def read(self, location: Location, path: str) -> bytes:
        if location.path in self._foreseen:
            return self._foreseen[location.path]
        with told("read", path):
            content, found = files.read(location.path)
        if found.st_nlink > 1 and self._has_refusals():
            with told("read", path):
                names = self._links.names(found.st_dev, found.st_ino, fresh=False)
            self._refuse(names, path)
        if self.witness is not None:
            self.witness(location.target, content)
        return content

    def content(self, location: Location, path: str) -> bytes | None:
        """Return the content, None where nothing lies at the path."""
        with told("read", path):
            if status(location.path) is None and location.path not in self._foreseen:
                return None
        return self.read(location, path)

    def is_protected(self, location: Location, found: os.stat_result | None) -> bool:
        """Whether a name of the file is protected; BlockedPathError if one is refused."""
        others = [locate(self.roots, name) for name in self._others(location, found)]
        self._refuse((other.path for other in others), location.target)
        return any(is_protected(self.roots, one) for one in (location, *others))

    def names(self, location: Location, path: str) -> tuple[str, ...]:
        """Return every name of the file that is to be replaced, this one first.

        ToolError if it has names outside the roots: those would keep the old content.
        """
        found = status(location.path)
        if found is None:
            raise ToolError(f"{path!r} has changed since it was read: there is no such file now")
        others = self._others(location, found)
        if found.st_nlink != 1 + len(others) and stat.S_ISREG(found.st_mode):
            raise ToolError(
                f"{path!r} has further names (hard links) outside the workspace: "
                "replacing it would part it from them, so ask the user"
            )
        return (location.path, *others)

    def _others(self, location: Location, found: os.stat_result | None) -> tuple[str, ...]:
        if found is None or found.st_nlink == 1 or not stat.S_ISREG(found.st_mode):
            return ()
        with told("look for other names of", location.target):
            names = self._links.names(found.st_dev, found.st_ino, fresh=True)
        return tuple(name for name in names if name != location.path)

    def _has_refusals(self) -> bool:
        return any(refusals(root).text for root in self.roots)

    def _refuse(self, names: Iterable[str], path: str) -> None:
        """Raise BlockedPathError if one of these names of the path may be touched by nobody."""
        for name in names:
            if self._covers(name):
                raise BlockedPathError(
                    f"{path!r} is covered by {IGNORE_FILE}: go on without it, or ask the user to "
                    "change that"
                )
            if self._is_secret(name):
                raise BlockedPathError(
                    f"{path!r} is where keys or passwords are kept, and refused by default: go on "
                    f"without it, or ask the user to lift that by a line such as "
                    f"'!{os.path.basename(name)}' in {IGNORE_FILE}"
                )

    def _is_secret(self, path: str) -> bool:
        inside = [root for root in self.roots if lies_in(root, path)]
        named = relative_to(inside[0], path) if inside else path
        return is_secret(named) and not any(
            refusals(root).lifts(relative_to(root, path)) for root in inside
        )

    def _covers(self, path: str) -> bool:
        is_dir = os.path.isdir(path)
        return any(
            refusals(root).refuses(relative_to(root, path), is_dir=is_dir)
            if lies_in(root, path)
            else _fail_closed(root)
            for root in self.roots
        )


def means_directory(path: str) -> bool:
    """Whether the path can only be a directory's, by its end; resolved, that is not seen."""
    return path.endswith(("/", "/."))


def _refuse_file(location: Location) -> None:
    found = status(location.path)
    if found is not None and not stat.S_ISDIR(found.st_mode):
        raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR))


def _fail_closed(root: str) -> bool:
    """Read a root's ignore file for its errors alone; it covers nothing outside the root."""
    refusals(root)
    return False


class Accept:
    """What a walk of one directory yields and enters."""

    def __init__(self, roots: tuple[str, ...], top: str, *, hidden: bool) -> None:
        self._refusals = [(root, refusals(root)) for root in roots]
        self._shows_hidden = hidden
        self._where = roots, top
        self._folder: str | None = None
        self._refusing: list[tuple[Refusals, str]] = []
        self._hiding_below = ""

    def __call__(self, folder: str, name: str, *, is_dir: bool) -> bool:
        if folder != self._folder:
            self._enter(folder)
        for refused, below in self._refusing:
            if refused.refuses_entry(below, name, is_dir=is_dir):
                return False
        return self._shows_hidden or not self._hiding.hides(self._hiding_below, name, is_dir=is_dir)

    def _enter(self, folder: str) -> None:
        """Find out, once for all its entries, how the folder is called from the places of rules."""
        self._refusing = [
            (refused, _below(root, folder))
            for root, refused in self._refusals
            if refused.text and lies_in(root, folder)
        ]
        if not self._shows_hidden:
            self._hiding_below = _below(self._hiding.root, folder)
        self._folder = folder

    @cached_property
    def _hiding(self) -> Hiding:
        """Made once something was found: a directory that is not there has no rules."""
        return _hiding(*self._where)


def _below(root: str, folder: str) -> str:
    return "" if folder == root else relative_to(root, folder) + "/"


def _hiding(roots: tuple[str, ...], top: str) -> Hiding:
    """Return the rules for a directory; one that is hidden itself starts afresh."""
    above = Hiding(max((root for root in roots if lies_in(root, top)), key=len, default=top))
    return Hiding(top) if above.hides_any(relative_to(above.root, top)) else above


_MEANINGS = {
    errno.ENOENT: "there is no such file or directory (list_files shows what there is)",
    errno.EISDIR: "it is a directory (use list_files to see what is in it)",
    errno.ENOTDIR: "it, or what it is looked for in, is not a directory",
    errno.EEXIST: "something is there already (it has changed since it was looked at)",
    errno.ELOOP: "a link in it leads in a circle, or was put there meanwhile",
}


@contextmanager
def told(verb: str, path: str) -> Generator[None]:
    """Turn what the system says into what a model can use."""
    try:
        yield
    except OSError as error:
        meaning = _MEANINGS.get(error.errno or 0, error.strerror or type(error).__name__)
        raise ToolError(f"cannot {verb} {path!r}: {meaning}") from error

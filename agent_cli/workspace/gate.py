"""The path gate: the only way from a tool to the user's files.

Rule 1: nothing outside the roots is touched unless its effect was approved (`granting`).
Rule 2: what .agentignore covers is refused, by any name; if that cannot be decided, everything is.
So are files of keys and passwords (`_secrets`), unless .agentignore lifts that.
Rule 3: what is touched is the canonical path, reached by descriptors without following a link, so
a component swapped meanwhile is an error and never a way out.
Rule 4: a file is replaced only if it still is what the caller, or the user, has seen.
"""

# Paths are strings here: they may hold any byte, and most are reached by descriptor.

import errno
import os
import stat
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from agent_cli.types.effects import Effect, Kind
from agent_cli.types.errors import BlockedPathError, ToolError
from agent_cli.workspace import _atomic
from agent_cli.workspace._descend import refuse_special, status
from agent_cli.workspace._guard import Accept, Guard, Witness, means_directory, told
from agent_cli.workspace._held import tidy_noted
from agent_cli.workspace._locate import lies_in, relative_to
from agent_cli.workspace._pins import Pins
from agent_cli.workspace._protected import protected_below
from agent_cli.workspace._walk import WALK_LIMIT, Enter, Entry, Found, everywhere, walk
from agent_cli.workspace.editor import Text, decode

__all__ = ["WALK_LIMIT", "Entry", "Workspace"]


class Workspace:
    """Roots that tools may touch, and the outside targets that were granted to one call."""

    own: tuple[str, ...] = ()
    """Our own directories, links resolved: what we are told there is protected in any root."""

    def __init__(
        self,
        root: Path,
        extra: tuple[Path, ...] = (),
        granted: frozenset[str] = frozenset(),
        *,
        pins: Pins | None = None,
        notes: Path | None = None,
    ) -> None:
        """Keep in `notes` which directories are written to at the moment."""
        self.root = Path(os.path.realpath(root))
        self._extra = extra
        self._granted = granted
        self._pins = pins or Pins()
        self.notes = notes
        roots = (str(self.root), *(os.path.realpath(other) for other in extra))
        self._guard = Guard(roots, granted)

    def effect(self, kind: Kind, path: str) -> Effect:
        """Say what touching the path would touch; BlockedPathError for what nobody may.

        The first thing a tool asks for a call: it forgets what an earlier call has shown.
        """
        location = self._guard.locate(path)
        with told("look at", path):
            found = status(location.path)
        if found is not None:
            refuse_special(found, path)
        protected = False
        if kind is Kind.WRITE:
            self._pins.begin(location)
            protected = self._guard.is_protected(location, found)
            protected = protected or any(lies_in(one, location.path) for one in self.own)
        return Effect(kind, location.target, outside=location.outside, protected=protected)

    @property
    def roots(self) -> tuple[str, ...]:
        """The directories that tools may touch, absolute, links resolved; the first is `root`."""
        return self._guard.roots

    def protected(self) -> tuple[str, ...]:
        """Return the absolute paths of protected names in the roots, links resolved."""
        found = (path for root in self.roots for path in protected_below(root))
        return tuple(os.path.realpath(path) for path in found if Path(path).exists())

    def granting(self, paths: Iterable[str], witness: Witness | None = None) -> "Workspace":
        """Return a copy in which these outside targets, as effects spell them, may be touched.

        A granted directory grants what is below it. The witness is told of what is read there.
        """
        granted = self._granted.union(paths)
        other = Workspace(self.root, self._extra, granted, pins=self._pins, notes=self.notes)
        other.own = self.own
        other._guard.witness = witness
        return other

    def foreseeing(self, contents: Mapping[str, bytes]) -> "Workspace":
        """Return a copy for previews, in which these files hold this already."""
        other = Workspace(self.root, self._extra, self._granted, notes=self.notes)
        other.own = self.own
        other._guard.foresee(contents)
        return other

    def tidy(self) -> None:
        """Remove the temporary files that killed processes left, in this workspace or another."""
        if self.notes is not None:
            tidy_noted(str(self.notes))

    def visible(self, path: str) -> bool:
        """Whether the path lies in a root and is not refused; nothing else may be shown."""
        try:
            return not self._guard.locate(path).outside
        except BlockedPathError:
            return False

    def read(self, path: str) -> bytes:
        return self._guard.read(self._guard.reach(path), path)

    def read_text(self, path: str) -> Text:
        """Return the file as text; ToolError if it is binary."""
        text = decode(self.read(path))
        if text.is_binary:
            raise ToolError(f"{path!r} is a binary file: it cannot be shown or edited as text")
        return text

    def show(self, path: str) -> bytes | None:
        """Return the content that an edit starts from, None where there is no file yet.

        For previews: what was shown must still be there when `take` begins the edit.
        """
        location = self._guard.reach(path)
        content = self._guard.content(location, path)
        self._pins.show(location, content)
        return content

    def take(self, path: str) -> bytes | None:
        """Return the content that an edit starts from; ToolError if it is not what was shown."""
        location = self._guard.reach(path)
        content = self._guard.content(location, path)
        self._pins.check(location, path, content)
        return content

    def write(self, path: str, data: bytes, *, expected: bytes | None) -> None:
        """Replace the file's content, or make the file: None expects that there is none.

        All or nothing, and byte for byte. Mode, owner, extended attributes and links stay.
        """
        location = self._guard.reach(path)
        self._pins.check_target(location, path)
        with told("write", path):
            if means_directory(path):
                raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
            notes = "" if self.notes is None else str(self.notes)
            if expected is None:
                _atomic.create(location.path, data, notes)
            else:
                _atomic.replace(self._guard.names(location, path), data, expected, notes)
        self._pins.forget(location)

    def is_file(self, path: str) -> bool:
        return self._guard.is_a(path, stat.S_IFREG)

    def is_dir(self, path: str) -> bool:
        return self._guard.is_a(path, stat.S_IFDIR)

    def list_dir(self, path: str, *, hidden: bool = False) -> tuple[Entry, ...]:
        return tuple(self.walk(path, hidden=hidden, enter=lambda _: False))

    def walk(
        self, path: str, *, hidden: bool = False, enter: Enter = everywhere, stamped: bool = False
    ) -> Iterator[Entry]:
        """Yield what is below a directory, parents before children, names in order.

        Follows no link. What .agentignore refuses is never there; what .gitignore covers, and
        `.git`, only with `hidden`, or below a directory that is itself covered. ToolError after
        `WALK_LIMIT` entries.
        """
        top = self._guard.reach(path).path
        root, *_ = roots = self._guard.roots
        accept = Accept(roots, top, hidden=hidden)
        with told("list", path):
            for found in walk(top, accept, enter, stamped=stamped):
                yield _seen_from(root, found)


def _seen_from(root: str, found: Found) -> Entry:
    inside = lies_in(root, found.path)
    name = relative_to(root, found.path) if inside else found.path
    return Entry(name, found.is_dir, found.is_link, found.stamp)

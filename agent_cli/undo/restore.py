"""Puts files back: everything is looked at first, and only what is as expected is touched.

What is not what the session had left is a conflict, and left alone. A run that is cut off can be
repeated: what has its target already is not a conflict.
"""

import os
import shutil
from collections.abc import Callable, Iterable
from enum import StrEnum
from pathlib import Path

from msgspec import Struct

from agent_cli.types.errors import ToolError
from agent_cli.types.evidence import FileChange, FileVersion
from agent_cli.undo.history import Wanted
from agent_cli.undo.preimages import Store, digest
from agent_cli.workspace.placing import Placing, Thing, look


class Why(StrEnum):
    """Why a file is left alone."""

    CHANGED = "changed"
    """It is not what the session left."""
    PARTLY = "partly"
    """It comes back only as something else had made it in between."""
    NOT_KEPT = "not_kept"
    """What it was is not kept, or not any more."""
    OUTSIDE = "outside"
    """It lies outside the workspace."""
    FAILED = "failed"
    """The system refused; `Left.detail` says why."""


class Left(Struct, frozen=True):
    path: str
    why: Why
    detail: str = ""


class Move(Struct, frozen=True):
    """One file that is about to be changed."""

    change: FileChange
    place: str
    """Absolute."""
    found: Thing | None
    target: Thing | None


class Plan(Struct, frozen=True):
    moves: tuple[Move, ...]
    """In the order in which they are done."""
    already: tuple[FileChange, ...]
    """What has its target already."""
    left: tuple[Left, ...]

    @property
    def changes(self) -> tuple[FileChange, ...]:
        return (*self.already, *(move.change for move in self.moves))


def version(thing: Thing | None) -> FileVersion | None:
    return None if thing is None else FileVersion(digest(thing.data), thing.mode)


def look_at(path: str, place: str) -> Thing | None:
    """Return what lies there; of a path that ends with a slash the directory, else the rest."""
    thing = look(place)
    if thing is None or thing.is_directory != path.endswith("/"):
        return None
    return thing


class Restoring:
    """Plans and does it, for one workspace; `granted` are paths outside it that may be touched."""

    def __init__(
        self,
        roots: tuple[str, ...],
        notes: str,
        store: Store,
        granted: Callable[[str], bool] = lambda _: False,
    ) -> None:
        self._roots = roots
        self._store = store
        self._granted = granted
        self._placing = Placing(roots, notes)

    def plan(self, wanted: Iterable[Wanted]) -> Plan:
        """Look at every file and say what would become of it; touches nothing."""
        moves: list[Move] = []
        already: list[FileChange] = []
        left: list[Left] = []
        for one in wanted:
            try:
                found = self._planned(one)
            except (OSError, ToolError) as error:
                found = Left(one.path, Why.FAILED, _reason(error))
            if one.partly and not isinstance(found, Left):
                left.append(Left(one.path, Why.PARTLY))
            match found:
                case Left():
                    left.append(found)
                case Move():
                    moves.append(found)
                case FileChange():
                    already.append(found)
        return Plan(tuple(sorted(moves, key=_order)), tuple(already), tuple(left))

    def carry_out(self, plan: Plan) -> Plan:
        """Do it; return what was done and what was left."""
        done: list[Move] = []
        left = list(plan.left)
        for move in plan.moves:
            path = move.change.path
            try:
                if move.found is not None and move.found.data:
                    self._store.put(move.found.data)  # so that it can be done again
                self._placing.put(move.place, move.target, move.found)
            except (OSError, ToolError) as error:
                if not (path.endswith("/") and move.target is None):  # others may have files in it
                    left.append(Left(path, Why.FAILED, _reason(error)))
            else:
                done.append(move)
        return Plan(tuple(done), plan.already, tuple(left))

    def _planned(self, wanted: Wanted) -> Move | FileChange | Left:
        path, target = wanted.path, wanted.target
        place = self._place(path)
        if place is None:
            return Left(path, Why.OUTSIDE)
        found = look_at(path, place)
        now = version(found)
        change = FileChange(path, now, target)
        if now == target:
            return change
        if now != wanted.found:
            return Left(path, Why.CHANGED)
        thing = None
        if target is not None:
            data = b"" if path.endswith("/") else self._content(target)
            if data is None:
                return Left(path, Why.NOT_KEPT)
            thing = Thing(target.mode, data)
        return Move(change, place, found, thing)

    def _content(self, wanted: FileVersion) -> bytes | None:
        return b"" if wanted.hash == _EMPTY else self._store.get(wanted.hash)

    def _place(self, path: str) -> str | None:
        """Return where the path is; None where nothing may be put."""
        plain = path.rstrip("/")
        place = os.path.normpath(f"{self._roots[0]}/{plain}") if plain[:1] != "/" else plain
        if os.path.normpath(place) != place:
            return None
        inside = any(place.startswith(root.rstrip("/") + "/") for root in self._roots)
        return place if inside or self._granted(path) else None


_EMPTY = digest(b"")


def _order(move: Move) -> tuple[int, int, str]:
    """Take files away before the directories they are in; the other way round to bring back."""
    path, target = move.change.path, move.target
    depth = path.rstrip("/").count("/")
    if not path.endswith("/"):
        return (3, depth, path) if target is not None else (0, -depth, path)
    if target is None:
        return (1, -depth, path)
    return (2, depth, path) if move.found is None else (4, -depth, path)


def _reason(error: OSError | ToolError) -> str:
    return error.strerror or str(error) if isinstance(error, OSError) else str(error)


def copy_at(root: Path, target: Path, wanted: Iterable[Wanted], store: Store) -> tuple[Left, ...]:
    """Copy the workspace to a new directory and take changes back there; the workspace stays.

    With `undoing` of every change that stands, that is the workspace at the session's start, as
    far as nobody else has changed it since. Return what could not be brought back there.
    """
    shutil.copytree(root, target, symlinks=True, ignore=_specials)
    _keep_links_inside(root, target)
    restoring = Restoring((os.path.realpath(target),), "", store)
    return restoring.carry_out(restoring.plan(wanted)).left


def _keep_links_inside(root: Path, target: Path) -> None:
    """Let absolute links into the workspace lead into the copy, for who writes through them."""
    for folder, directories, files in os.walk(target):
        for place in (Path(folder, name) for name in (*directories, *files)):
            if not place.is_symlink() or not (to := place.readlink()).is_absolute():
                continue
            if to.is_relative_to(root) and ".." not in to.parts:
                place.unlink()
                place.symlink_to(os.path.relpath(target / to.relative_to(root), folder))


def _specials(folder: str, names: list[str]) -> list[str]:
    with os.scandir(folder) as entries:
        plain = {one.name for one in entries if one.is_symlink() or one.is_file() or one.is_dir()}
    return [name for name in names if name not in plain]

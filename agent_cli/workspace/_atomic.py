"""Replace a file's content as one step: at every moment it is the old file or the new one.

The new content is written beside the target, made durable, given the target's mode, owner and
extended attributes, compared once more with what is there, and renamed over it, all under a lock
of the directory. A file with several names gets all of them back, or keeps them all. What a kill
leaves behind, the next write to the directory or the next start removes.
"""

# Paths are strings here: they may hold any byte, and most are reached by descriptor.
# ruff: noqa: PTH120, PTH123

import os
import stat
from contextlib import suppress

from msgspec import Struct

from agent_cli.types.errors import ToolError
from agent_cli.workspace._descend import make_directories, open_regular, remove_directories
from agent_cli.workspace._draft import drafted, fresh_name
from agent_cli.workspace._held import held


class _Place(Struct, frozen=True):
    """A name that the file has, and the temporary one that will be renamed to it."""

    folder: int
    temporary: str
    name: str


def create(path: str, data: bytes, notes: str, *, mode: int | None = None) -> None:
    """Make a new file, and the directories above it; FileExistsError where something is.

    Without a mode it is what the user's umask makes of it.
    """
    parent, name = os.path.split(path)
    made = make_directories(parent)
    try:
        with held((parent,), notes) as folders, drafted(folders[parent], 0o666) as draft:
            draft.fill(data)
            if mode is not None:
                os.fchmod(draft.descriptor, mode)
            draft.publish_new(name)
            sync(folders[parent])
    except BaseException:
        remove_directories(made)
        raise


def replace(
    names: tuple[str, ...], data: bytes, expected: bytes, notes: str, *, mode: int | None = None
) -> None:
    """Put the data in the place of the file, under the one or more names that it has.

    ToolError if its content is not what is expected, or if it is read-only; with a mode, which
    becomes the file's, it may be.
    """
    parent, name = os.path.split(names[0])
    parents = tuple(os.path.dirname(one) for one in names)
    with held(parents, notes) as folders, drafted(folders[parent], 0o600) as draft:
        old = _look(folders[parent], name, writable=mode is None)
        draft.fill(data)
        draft.take_after(old, folders[parent], name)
        if mode is not None:
            os.fchmod(draft.descriptor, mode)
        first = _Place(folders[parent], draft.settle(), name)
        places = _linked(first, names[1:], folders)
        if not _unchanged(folders[parent], name, old, expected):
            raise changed(names[0])
        _rename(places)
        for folder in folders.values():
            sync(folder)


def changed(path: str) -> ToolError:
    return ToolError(f"{path!r} has changed since it was read: read it again before editing it")


def _look(folder: int, name: str, *, writable: bool) -> os.stat_result:
    descriptor = open_regular(name, folder)
    try:
        found = os.fstat(descriptor)
    finally:
        os.close(descriptor)
    if writable and not found.st_mode & stat.S_IWUSR:
        raise ToolError(f"{name!r} is read-only: ask the user before changing that")
    return found


def _unchanged(folder: int, name: str, old: os.stat_result, expected: bytes) -> bool:
    try:
        descriptor = open_regular(name, folder)
    except FileNotFoundError:
        return False
    with open(descriptor, "rb") as file:
        now = os.fstat(descriptor)
        same = (now.st_ino, now.st_dev, now.st_mode) == (old.st_ino, old.st_dev, old.st_mode)
        return same and file.read(len(expected) + 1) == expected


def _linked(first: _Place, others: tuple[str, ...], folders: dict[str, int]) -> list[_Place]:
    """Give the new file a temporary name beside every other name of the old one."""
    places = [first]
    for other in others:
        parent, name = os.path.split(other)
        places.append(_Place(folders[parent], fresh_name(), name))
        _link(first, first.temporary, places[-1])
    return places


def _link(source: _Place, name: str, place: _Place) -> None:
    os.link(
        name,
        place.temporary,
        src_dir_fd=source.folder,
        dst_dir_fd=place.folder,
        follow_symlinks=False,
    )


def _rename(places: list[_Place]) -> None:
    """Rename every temporary name to its place; if one cannot be, put back those before it."""
    for done, place in enumerate(places):
        try:
            os.rename(place.temporary, place.name, src_dir_fd=place.folder, dst_dir_fd=place.folder)
        except OSError:
            for earlier in places[:done]:
                again = _Place(earlier.folder, fresh_name(), earlier.name)
                _link(place, place.name, again)  # it still is the old file
                _rename([again])
            raise


def sync(folder: int) -> None:
    """Make the new name durable; where that fails, it is there all the same."""
    with suppress(OSError):
        os.fsync(folder)

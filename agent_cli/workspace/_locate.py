"""From what a model wrote to the one place that it means."""

# Paths are strings here: they may hold any byte, and most are reached by descriptor.
# ruff: noqa: PTH118

import os

from msgspec import Struct

from agent_cli.types.errors import BlockedPathError
from agent_cli.workspace import _protected

_LONGEST = 4095
"""Bytes; no system call takes a longer path."""


class Location(Struct, frozen=True):
    path: str
    """Canonical: absolute, every link resolved."""
    named: str
    """Absolute, as it was named, links unresolved."""
    target: str
    """As effects and results spell it: valid Unicode, relative to the first root if in it."""
    outside: bool


def locate(roots: tuple[str, ...], path: str) -> Location:
    """Resolve a path against the first root; BlockedPathError for what cannot be a path."""
    if not path:
        raise BlockedPathError("the path is empty: name a file or directory")
    if "\0" in path:
        raise BlockedPathError(f"the path {path!r} contains a NUL character")
    joined = os.path.join(roots[0], path)
    try:
        if len(os.fsencode(joined)) > _LONGEST:
            raise BlockedPathError(f"the path {path[:80]!r}… is too long: nothing can be there")
        canonical = os.path.realpath(joined)
    except UnicodeEncodeError as error:
        raise BlockedPathError(f"the path {path!r} is not valid text") from error
    except RecursionError as error:
        raise BlockedPathError(f"the path {path!r} goes through too many links") from error
    except OSError as error:  # a link that is replaced between two looks at it
        raise BlockedPathError(f"the path {path!r} is being changed: try again") from error
    outside = not any(lies_in(root, canonical) for root in roots)
    return Location(canonical, os.path.normpath(joined), target(roots, canonical), outside)


def lies_in(root: str, path: str) -> bool:
    return path == root or path.startswith(root.rstrip("/") + "/")


def relative_to(root: str, path: str) -> str:
    return path[len(root.rstrip("/")) + 1 :] or "."


def target(roots: tuple[str, ...], path: str) -> str:
    spelled = relative_to(roots[0], path) if lies_in(roots[0], path) else path
    return spelled.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")


def is_protected(roots: tuple[str, ...], location: Location) -> bool:
    """Whether the name that was given, or the name that it leads to, is protected."""
    return any(_is_protected(roots, path) for path in {location.path, location.named})


def _is_protected(roots: tuple[str, ...], path: str) -> bool:
    root = next((root for root in roots if lies_in(root, path)), "/")
    relative = relative_to(root, path)
    return (
        _protected.below_git(path)
        or _protected.is_protected(relative)
        or any(
            os.path.lexists(os.path.join(root, folder, "HEAD"))
            for folder in _protected.bare_repositories(relative)
        )
    )

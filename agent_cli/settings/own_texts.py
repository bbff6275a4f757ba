"""The Markdown files in a user's own directories: modes, skills, commands and rules.

Links are followed, for many keep their configuration elsewhere; what cannot be read is not there.
"""

import os
from collections.abc import Callable, Iterator
from pathlib import Path

MOST_FILES = 500
"""In one directory."""
LONGEST = 256 * 1024
"""Bytes; a longer file is not there."""
_DEEPEST = 4


def own_texts(base: Path, wanted: Callable[[str], bool]) -> Iterator[tuple[str, str, Path, str]]:
    """Yield folder, path below it, place and text of the files in the wanted folders of `base`."""
    for folder in _names(base):
        if not wanted(folder):
            continue
        top = base / folder
        for place in _files(top, 0):
            text = _text(place)
            if text is not None:
                yield folder, place.relative_to(top).as_posix(), place, text


def _files(directory: Path, depth: int) -> Iterator[Path]:
    for name in _names(directory):
        place = directory / name
        if place.is_dir():
            if depth < _DEEPEST:
                yield from _files(place, depth + 1)
        elif name.endswith(".md"):
            yield place


def _names(directory: Path) -> list[str]:
    try:
        return sorted(os.listdir(directory))[:MOST_FILES]  # noqa: PTH208 - names, not paths
    except OSError:
        return []


def _text(place: Path) -> str | None:
    try:
        if not place.is_file() or place.stat().st_size > LONGEST:
            return None
        return place.read_bytes().decode("utf-8", errors="replace")
    except OSError:
        return None

"""Read a file of bounded size, and say what kind of content it is."""

# Paths are strings here: they may hold any byte, and most are reached by descriptor.
# ruff: noqa: PTH123

import os

from agent_cli.types.errors import BlockedPathError, ToolError
from agent_cli.workspace._descend import directory, open_regular
from agent_cli.workspace.editor import decode

READ_LIMIT = 64 * 1024 * 1024
"""Bytes; a longer file is refused rather than held in memory."""

_SIGNATURES = (
    (b"\x89PNG\r\n\x1a\n", "image/png"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"GIF87a", "image/gif"),
    (b"GIF89a", "image/gif"),
)


def read(path: str, limit: int = READ_LIMIT) -> tuple[bytes, os.stat_result]:
    """Return the content and status of the regular file at a canonical path; raises OSError.

    A device, pipe or socket is refused without waiting for it.
    """
    parent, name = os.path.split(path)
    with directory(parent) as folder, open(open_regular(name, folder), "rb") as file:
        too_large = os.fstat(file.fileno()).st_size > limit
        data = b"" if too_large else file.read(limit + 1)
        found = os.fstat(file.fileno())
    if data is None:  # pyright: ignore[reportUnnecessaryComparison] - a kernel file may never be ready
        raise BlockedPathError(f"{name!r} has no content to wait for")
    if too_large or len(data) > limit:
        raise ToolError(f"{name!r} is larger than {limit} bytes: use a command to look at parts")
    return data, found


def is_binary(data: bytes) -> bool:
    """Whether the content is no text: it holds NUL characters."""
    return decode(data).is_binary


def image_type(data: bytes) -> str | None:
    """Return the media type of an image that models can see, by its first bytes."""
    if data[:4] == b"RIFF" and data[8:12] == b"WEBP":
        return "image/webp"
    return next((kind for start, kind in _SIGNATURES if data.startswith(start)), None)

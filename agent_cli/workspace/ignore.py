"""What .agentignore refuses to every tool, and what .gitignore hides from lists and searches.

Refusal fails closed: an ignore file that cannot be read or understood refuses every path.
Hiding fails open: it only keeps noise away.
"""

# Paths are strings here: they may hold any byte, and most are reached by descriptor.
# ruff: noqa: PTH114, PTH116, PTH118, PTH123

import os
import stat
import unicodedata
from functools import lru_cache
from typing import TYPE_CHECKING

from msgspec import Struct

from agent_cli.types.errors import BlockedPathError
from agent_cli.workspace._descend import directory, open_regular

if TYPE_CHECKING:
    from pathspec import GitIgnoreSpec

IGNORE_FILE = ".agentignore"
_LIMIT = 1_000_000
"""Bytes of an ignore file; a longer one counts as unreadable."""


class Refusals(Struct, frozen=True):
    """The patterns of one root's .agentignore; without a file, nothing is refused."""

    text: str = ""

    def refuses(self, relative: str, *, is_dir: bool) -> bool:
        """Whether the path, or a directory above it, is covered; both as it is and case-folded.

        A file system that ignores case would otherwise give the file away by another name.
        """
        if not self.text or relative == ".":
            return False
        parts = relative.split("/")
        above = ("/".join(parts[:depth]) for depth in range(1, len(parts)))
        return any(self.refuses_entry(path, is_dir=True) for path in above) or self.refuses_entry(
            relative, is_dir=is_dir
        )

    def refuses_entry(self, relative: str, *, is_dir: bool) -> bool:
        """Whether the path is covered; for a walk, which never enters a covered directory."""
        path = relative + "/" if is_dir else relative
        return _covers(self.text, path) or _covers(_fold(self.text), _fold(path))

    def lifts(self, relative: str) -> bool:
        """Whether the path, as it is, is excepted by name: `!` and a pattern, and none after it."""
        spec = _compile(self.text)
        return spec is not None and spec.check_file(relative).include is False


def refusals(root: str) -> Refusals:
    """Read the root's .agentignore; BlockedPathError if there is one that cannot be used."""
    path = os.path.join(root, IGNORE_FILE)
    try:
        text = _read(path)
        _compile(_fold(text))
        _compile(text)
    except FileNotFoundError:
        if os.path.islink(path):
            raise _unusable("it is a link to nothing") from None
        return Refusals()
    except (OSError, ValueError) as error:
        raise _unusable(getattr(error, "strerror", None) or str(error)) from error
    return Refusals(text)


def _read(path: str) -> str:
    if not stat.S_ISREG(os.stat(path).st_mode):
        raise ValueError("it is not a file")
    with open(os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC), "rb") as file:
        data = file.read(_LIMIT + 1)
    if len(data) > _LIMIT or b"\0" in data:
        raise ValueError(f"it is not text of at most {_LIMIT} bytes")
    return data.removeprefix(b"\xef\xbb\xbf").decode("utf-8", "surrogateescape")


def _unusable(reason: str) -> BlockedPathError:
    return BlockedPathError(
        f"{IGNORE_FILE} cannot be used ({reason}), so every path is refused: "
        "ask the user to repair it"
    )


@lru_cache(maxsize=64)
def _compile(text: str) -> "GitIgnoreSpec | None":
    lines = text.replace("\r\n", "\n").split("\n")
    if not any(line.strip() and not line.startswith("#") for line in lines):
        return None
    from pathspec import GitIgnoreSpec  # noqa: PLC0415 - 28 ms, and most folders need none

    return GitIgnoreSpec.from_lines(lines)


def _covers(text: str, path: str) -> bool:
    spec = _compile(text)
    return spec is not None and spec.check_file(path).include is True


@lru_cache(maxsize=4096)
def _fold(text: str) -> str:
    return unicodedata.normalize("NFC", text.casefold())


class Hiding:
    """The .gitignore files of one root, each read once; lives as long as one walk."""

    def __init__(self, root: str) -> None:
        self.root = root
        self._specs: dict[str, GitIgnoreSpec | None] = {}

    def hides(self, relative: str, *, is_dir: bool) -> bool:
        """Whether the entry itself is covered; the deepest .gitignore that speaks of it decides."""
        parts = relative.split("/")
        if parts[-1] == ".git":
            return True
        for depth in reversed(range(len(parts))):
            spec = self._spec("/".join(parts[:depth]))
            if spec is None:
                continue
            name = "/".join(parts[depth:]) + ("/" if is_dir else "")
            verdict = spec.check_file(name).include
            if verdict is not None:
                return verdict
        return False

    def hides_any(self, relative: str) -> bool:
        """Whether the directory or one above it is covered."""
        parts = relative.split("/")
        prefixes = ("/".join(parts[: depth + 1]) for depth in range(len(parts)))
        return relative != "." and any(self.hides(prefix, is_dir=True) for prefix in prefixes)

    def _spec(self, relative: str) -> "GitIgnoreSpec | None":
        if relative not in self._specs:
            self._specs[relative] = self._load(relative)
        return self._specs[relative]

    def _load(self, relative: str) -> "GitIgnoreSpec | None":
        try:
            with (
                directory(os.path.join(self.root, relative)) as folder,
                open(open_regular(".gitignore", folder), "rb") as file,
            ):
                return _compile(file.read(_LIMIT).decode("utf-8", "surrogateescape"))
        except (OSError, ValueError, BlockedPathError):
            return None

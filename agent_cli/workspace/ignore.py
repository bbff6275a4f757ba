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

from msgspec import Struct

from agent_cli.types.errors import BlockedPathError
from agent_cli.workspace._descend import directory, open_regular
from agent_cli.workspace._rules import Rules

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
        entries = ((_joined(parts[:depth]), parts[depth]) for depth in range(len(parts)))
        deepest = len(parts) - 1
        return any(
            self.refuses_entry(folder, name, is_dir=is_dir or depth < deepest)
            for depth, (folder, name) in enumerate(entries)
        )

    def refuses_entry(self, folder: str, name: str, *, is_dir: bool) -> bool:
        """Whether the folder's entry is covered; for a walk, which enters no covered directory.

        `folder` is relative to the root: empty, or with a slash at its end.
        """
        if not self.text:
            return False
        if _refuses(self.text, folder, name, is_dir=is_dir):
            return True
        folded = _fold_rules(self.text), _fold(folder), _fold(name)
        return folded != (self.text, folder, name) and _refuses(*folded, is_dir=is_dir)

    def lifts(self, relative: str) -> bool:
        """Whether the path, as it is, is excepted by name: `!` and a pattern, and none after it."""
        rules = _compile(self.text)
        return rules is not None and rules.spec.check_file(relative).include is False


def refusals(root: str) -> Refusals:
    """Read the root's .agentignore; BlockedPathError if there is one that cannot be used."""
    path = os.path.join(root, IGNORE_FILE)
    try:
        text = _read(path)
        _compile(_fold_rules(text))
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
def _compile(text: str) -> Rules | None:
    lines = text.replace("\r\n", "\n").split("\n")
    if not any(line.strip() and not line.startswith("#") for line in lines):
        return None
    from pathspec import GitIgnoreSpec  # noqa: PLC0415 - 28 ms, and most folders need none

    return Rules(GitIgnoreSpec.from_lines(lines))


def _refuses(text: str, folder: str, name: str, *, is_dir: bool) -> bool:
    rules = _compile(text)
    return rules is not None and rules.verdict(folder, name, is_dir=is_dir) is True


@lru_cache(maxsize=64)
def _fold_rules(text: str) -> str:
    return _fold(text)


def _fold(text: str) -> str:
    return text.lower() if text.isascii() else unicodedata.normalize("NFC", text.casefold())


def _joined(parts: list[str]) -> str:
    """Return the folder, with a slash at its end unless it is the top."""
    return "".join(f"{part}/" for part in parts)


class Hiding:
    """The .gitignore files of one root, each read once; lives as long as one walk."""

    def __init__(self, root: str) -> None:
        self.root = root
        self._rules: dict[str, Rules | None] = {}
        self._chains: tuple[str, tuple[tuple[Rules, str], ...]] | None = None

    def hides(self, folder: str, name: str, *, is_dir: bool) -> bool:
        """Whether the folder's entry itself is covered.

        The deepest .gitignore that speaks of it decides. `folder` is relative to the root: empty,
        or with a slash at its end.
        """
        if name == ".git":
            return True
        for rules, below in self._chain(folder):
            verdict = rules.verdict(below, name, is_dir=is_dir)
            if verdict is not None:
                return verdict
        return False

    def hides_any(self, relative: str) -> bool:
        """Whether the directory or one above it is covered."""
        parts = relative.split("/")
        return relative != "." and any(
            self.hides(_joined(parts[:depth]), parts[depth], is_dir=True)
            for depth in range(len(parts))
        )

    def _chain(self, folder: str) -> tuple[tuple[Rules, str], ...]:
        """Return the rules that could speak of the folder's entries, deepest first.

        With each, the folder as seen from where they stand.
        """
        if self._chains is None or self._chains[0] != folder:
            parts = folder.split("/")[:-1]
            above = (
                (self._rules_in(_joined(parts[:depth])), _joined(parts[depth:]))
                for depth in reversed(range(len(parts) + 1))
            )
            chain = tuple((rules, below) for rules, below in above if rules is not None)
            self._chains = folder, chain
        return self._chains[1]

    def _rules_in(self, folder: str) -> Rules | None:
        if folder not in self._rules:
            self._rules[folder] = self._load(folder)
        return self._rules[folder]

    def _load(self, folder: str) -> Rules | None:
        try:
            with (
                directory(os.path.join(self.root, folder).rstrip("/") or "/") as opened,
                open(open_regular(".gitignore", opened), "rb") as file,
            ):
                return _compile(file.read(_LIMIT).decode("utf-8", "surrogateescape"))
        except (OSError, ValueError, BlockedPathError):
            return None

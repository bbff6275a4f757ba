"""Instructions in files: AGENTS.md from the repository root down to the working directory.

Rule 1: the nearest file comes last, and the user's own before all of the project's.
Rule 2: CLAUDE.md, or else GEMINI.md, is read only in a directory that has no AGENTS.md.
Rule 3: files in `rules/` come after the AGENTS.md of whoever has them, those of a mode last.
Rule 4: whether a project may say anything here (trust) and whether a file may be read (the path
gate, behind `read`) is decided by the caller.
"""

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TypeAlias

from msgspec import Struct

from agent_cli.context._texts import fill, table
from agent_cli.types.brought import Brought

NAMES = ("AGENTS.md", "CLAUDE.md", "GEMINI.md")
"""The first that a directory has is the one that is read."""

CAP = 64 * 1024
"""Bytes of one file that are given to the model."""

Read: TypeAlias = Callable[[Path], str | None]
"""Returns a file's text; None where there is no such file or it may not be read."""


class RulesFile(Struct, frozen=True):
    path: Path
    text: str
    cut: bool = False
    """Whether the file goes on after `text`."""


def user_rules(config: Path, read: Read) -> tuple[RulesFile, ...]:
    """Return the user's own instructions, from their configuration directory."""
    return _in_order([config], read)


def project_rules(directory: Path, read: Read) -> tuple[RulesFile, ...]:
    """Return the project's instructions for work in `directory`, an absolute path.

    Outside of a repository only the directory itself counts: what lies above is somebody else's.
    """
    return _in_order(_downwards(directory), read)


def brought_rules(files: Iterable[Brought]) -> tuple[RulesFile, ...]:
    """Return the files of `rules/`, which the user or a trusted project has, in their order."""
    return tuple(_capped(Path(file.path), file.text) for file in files)


def instructions(files: Iterable[RulesFile]) -> str:
    """Return the text for the system prompt; empty when there are no files."""
    return "\n\n".join(_section(file) for file in files)


def _downwards(directory: Path) -> list[Path]:
    upwards = [directory]
    for parent in (directory, *directory.parents):
        if parent != directory:
            upwards.append(parent)
        if (parent / ".git").exists():  # a file in worktrees and submodules
            return upwards[::-1]
    return [directory]


def _in_order(directories: Iterable[Path], read: Read) -> tuple[RulesFile, ...]:
    found = (_first(directory, read) for directory in directories)
    return tuple(file for file in found if file is not None and file.text)


def _first(directory: Path, read: Read) -> RulesFile | None:
    for name in NAMES:
        text = read(directory / name)
        if text is not None:
            return _capped(directory / name, text)
    return None


def _capped(path: Path, text: str) -> RulesFile:
    encoded = text.encode("utf-8", errors="replace")
    kept = encoded[:CAP].decode("utf-8", errors="ignore").strip()
    return RulesFile(path, kept, cut=len(encoded) > CAP)


def _section(file: RulesFile) -> str:
    texts: dict[str, str] = table("system/phrases.toml")["rules_files"]
    text = file.text
    if file.cut:
        text += "\n\n" + fill(texts["cut"], kib=str(CAP // 1024))
    return fill(texts["file"], path=str(file.path), text=text)

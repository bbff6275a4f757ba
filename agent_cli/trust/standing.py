"""How a folder stands: whether what would act is what was trusted, and what has changed."""

from pathlib import Path

from msgspec import Struct

from agent_cli.trust.manifest import Acting, Manifest, manifest
from agent_cli.trust.store import Kept, name_of, trusted_files

_MOST_LINES = 2000
"""Of either side of a comparison; longer texts are shown whole instead."""


class Change(Struct, frozen=True):
    """One file that is not what was trusted."""

    path: str
    diff: str = ""
    """Unified, LF line ends; empty where the two cannot be compared as text."""
    removed: bool = False


class Standing(Struct, frozen=True):
    """The state of a folder. Whoever lets something of a folder act asks `trusted` first."""

    manifest: Manifest
    trusted: bool = False
    known: bool = False
    """Whether the folder was ever trusted."""
    changes: tuple[Change, ...] = ()
    """Since it was trusted."""

    @property
    def can_be_trusted(self) -> bool:
        return not self.manifest.refusals

    def content(self, path: str) -> bytes | None:
        """Return a file as it was trusted; None where there is none or nothing is trusted."""
        return self.manifest.content(path) if self.trusted else None


def of(root: Path, store: Path | None) -> Standing:
    """Look at a folder. Without a store nothing is known of it. Raises ConfigurationError."""
    found = manifest(root)
    if not found.acts or store is None:
        return Standing(found)
    kept = trusted_files(store, root)
    if kept is None:
        return Standing(found)
    changes = _changes(kept, found.files)
    trusted = not changes and not found.refusals
    return Standing(found, trusted=trusted, known=True, changes=changes)


def _changes(kept: dict[str, Kept], files: tuple[Acting, ...]) -> tuple[Change, ...]:
    changes: list[Change] = []
    gone = dict(kept)
    for file in files:
        before = gone.pop(name_of(file.path), None)
        if before is None:
            changes.append(Change(file.path, _diff(file.path, b"", file.content)))
        elif before.sha256 != file.digest:
            changes.append(Change(file.path, _diff(file.path, before.content, file.content)))
    changes += [Change(name, removed=True) for name in gone]
    return tuple(changes)


def _diff(path: str, before: bytes | None, after: bytes) -> str:
    old, new = _lines(before), _lines(after)
    if old is None or new is None:
        return ""
    import difflib  # noqa: PLC0415 - only where something has changed

    found = difflib.unified_diff(old, new, f"{path} (trusted)", f"{path} (now)", lineterm="")
    return "\n".join(found)


def _lines(content: bytes | None) -> list[str] | None:
    """Return the lines of a text that is short enough to compare."""
    if content is None or b"\0" in content:
        return None
    try:
        lines = content.decode("utf-8").split("\n")
    except UnicodeDecodeError:
        return None
    return lines if len(lines) <= _MOST_LINES else None

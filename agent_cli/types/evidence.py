"""What a task can show for itself: files, commands and checks, as they were recorded."""

from msgspec import Struct

from agent_cli.types.outcomes import Outcome


class FileVersion(Struct, frozen=True):
    """What a file was at one moment."""

    hash: str
    """SHA-256 of its content, hexadecimal."""
    mode: int
    """Permission bits; of a link or a directory its type as well, as in `st_mode`. A link's content
    is where it leads; a directory's is nothing, and its path ends with a slash."""


class FileChange(Struct, frozen=True):
    path: str
    """Relative to the workspace root where it lies there, absolute otherwise."""
    before: FileVersion | None
    """None if there was no file."""
    after: FileVersion | None
    """None if there is none any more."""


class FileRead(Struct, frozen=True):
    path: str
    hash: str
    """SHA-256 of the content that was read."""


class CommandRun(Struct, frozen=True):
    command: str
    outcome: Outcome
    exit_code: int | None
    """None if it did not run to its end."""


class Check(Struct, frozen=True):
    """A command that the user wants to pass before a task counts as completed."""

    command: str
    exit_code: int | None
    """None if it could not be run or took too long."""

    @property
    def passed(self) -> bool:
        return self.exit_code == 0


class Evidence(Struct, frozen=True):
    """What was done in a task."""

    read: tuple[FileRead, ...] = ()
    """Latest last; the path occurs once."""
    changed: tuple[FileChange, ...] = ()
    """From what the task found to what it left; the path occurs once."""
    commands: tuple[CommandRun, ...] = ()
    """Latest last."""
    checks: tuple[Check, ...] = ()
    """Of the last completion that was tried."""

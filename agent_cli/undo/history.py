"""What a session has changed, turn by turn, and what of it still stands: a fold of its entries.

A turn is the work on one message of the user: turn 1 begins with the first one. A message counts
though it was rewound, and a queued one from when it is delivered. Changes of subtasks are their
turn's, and so are those of calls that a user's command followed.
"""

from collections.abc import Iterable, Sequence

from msgspec import Struct
from msgspec.structs import replace

from agent_cli.types.entries import Entry, FilesChanged, FilesRestored, UserSaid
from agent_cli.types.evidence import FileChange, FileVersion


class Change(Struct, frozen=True):
    """One change of one file, by one call."""

    number: int
    """Counts all changes of the session."""
    turn: int
    call_id: str
    file: FileChange
    given_up: bool = False
    """An undo came by and had to leave it."""


class Wanted(Struct, frozen=True):
    """What is to become of one file."""

    path: str
    found: FileVersion | None
    """What lies there if nobody else has changed it."""
    target: FileVersion | None
    partly: bool = False
    """Before that, something else changed it between the session's changes."""


class _Undone(Struct, frozen=True):
    entry: FilesRestored
    changes: tuple[Change, ...]


class History:
    """Built by `history`; answers what an undo or a redo would do."""

    def __init__(self) -> None:
        self.turn = 0
        """The number of the last turn."""
        self.missed: dict[int, tuple[str, ...]] = {}
        """Paths that each turn changed and that cannot be brought back."""
        self._standing: list[Change] = []
        self._all: list[Change] = []
        self._undone: list[_Undone] = []

    def add(self, entry: Entry) -> None:
        match entry:
            case UserSaid():
                self.turn += 1
            case FilesChanged(call_id, changes, missed):
                first = len(self._all)
                made = [
                    Change(number, self.turn, call_id, one)
                    for number, one in enumerate(changes, first)
                ]
                self._standing += made
                self._all += made
                self._undone.clear()
                if missed:
                    self.missed[self.turn] = (*self.missed.get(self.turn, ()), *missed)
            case FilesRestored(why="redo"):
                self._redone()
            case FilesRestored():
                self._restored(entry)
            case _:
                pass

    @property
    def last(self) -> int | None:
        """The last turn whose changes stand, as far as no undo had to leave them."""
        return max((one.turn for one in self._standing if not one.given_up), default=None)

    def since(self, turn: int) -> tuple[Change, ...]:
        """Return the changes of the turn, and of those after it, that stand."""
        return tuple(one for one in self._standing if one.turn >= turn)

    def of(self, turn: int | None = None) -> tuple[Change, ...]:
        """Return every change of a turn, or of all, whether it stands or not."""
        return tuple(one for one in self._all if turn in (None, one.turn))

    def redoable(self) -> FilesRestored | None:
        """Return the undo that can be taken back: the last one, unless something came after it."""
        return self._undone[-1].entry if self._undone else None

    def _restored(self, entry: FilesRestored) -> None:
        taken = [change for one in entry.changes for change in self._taken_back(one)]
        numbers = {one.number for one in taken}
        left, calls = set(entry.conflicts), set(entry.calls)
        self._standing = [
            replace(one, given_up=True) if one.file.path in left and one.call_id in calls else one
            for one in self._standing
            if one.number not in numbers
        ]
        if entry.why == "undo" and entry.changes:
            self._undone.append(_Undone(entry, tuple(taken)))

    def _taken_back(self, restored: FileChange) -> list[Change]:
        """Return the last changes of the file, back to the one that found what is there now."""
        taken: list[Change] = []
        for one in reversed(self._standing):
            if one.file.path != restored.path:
                continue
            taken.append(one)
            if one.file.before == restored.after:
                break
        return taken

    def _redone(self) -> None:
        if self._undone:
            back = [*self._standing, *self._undone.pop().changes]
            self._standing = sorted(back, key=lambda one: one.number)


def history(entries: Iterable[Entry]) -> History:
    made = History()
    for entry in entries:
        made.add(entry)
    return made


def undoing(changes: Sequence[FileChange]) -> tuple[Wanted, ...]:
    """Return what takes these changes back, later ones first where a file has several."""
    wanted: dict[str, Wanted] = {}
    for one in reversed(changes):
        known = wanted.get(one.path)
        if known is None:
            wanted[one.path] = Wanted(one.path, found=one.after, target=one.before)
        elif known.partly or known.target != one.after:
            wanted[one.path] = replace(known, partly=True)
        else:
            wanted[one.path] = replace(known, target=one.before)
    return tuple(one for one in wanted.values() if one.partly or one.found != one.target)


def redoing(undone: FilesRestored) -> tuple[Wanted, ...]:
    return tuple(Wanted(one.path, one.after, one.before) for one in undone.changes)


def net(changes: Sequence[FileChange]) -> tuple[FileChange, ...]:
    """Return what the changes come to: the first state and the last of each file."""
    merged: dict[str, FileChange] = {}
    for one in changes:
        first = merged.pop(one.path, one)
        if first.before != one.after:
            merged[one.path] = FileChange(one.path, first.before, one.after)
    return tuple(merged.values())

"""What a session keeps its changes with, and where."""

from collections.abc import Callable
from pathlib import Path

from msgspec import Struct

from agent_cli.undo.baseline import Baseline
from agent_cli.undo.preimages import Memory, Store, pool, prune, session_folder
from agent_cli.workspace.gate import Workspace


class Keeper(Struct, frozen=True):
    """What a session keeps its changes with."""

    store: Store
    baseline: Baseline | None = None
    """None where only what tools say that they write is kept."""
    tidy: Callable[[], tuple[str, ...]] = lambda: ()
    """Makes room; returns the sessions for which nothing is kept any more."""


def keeper(place: Path | None, session_id: str, workspace: Workspace) -> Keeper:
    """Return what keeps below the place; without one in memory, for as long as the session is."""
    if place is None:
        return Keeper(Memory())
    own, contents = session_folder(place, session_id), pool(place)

    def tidy() -> tuple[str, ...]:
        contents.make_room()
        return prune(place, session_id)

    return Keeper(own, Baseline(workspace.roots, contents, own), tidy)

"""What calls have changed, as diffs, where that is small enough to be shown at once."""

from collections.abc import Sequence

from agent_cli.runtime.agent import Agent
from agent_cli.types.evidence import FileChange, FileVersion
from agent_cli.undo.diffs import unified

_MOST_FILES = 5
_MOST_BYTES = 100_000
"""Of one version of a file; comparing takes longer than in proportion."""


def compared(agent: Agent, changes: Sequence[FileChange]) -> Sequence[str]:
    """Return a unified diff for each file, or none if there is too much to compare."""
    store = agent.keeping.store
    if store is None or len(changes) > _MOST_FILES:
        return ()

    def content(wanted: FileVersion) -> bytes | None:
        data = store.get(wanted.hash)
        return data if data is not None and len(data) <= _MOST_BYTES else None

    return unified(changes, content)

"""What a damaged session file has lost: it is said, kept, and cut off only for a good reason."""

import os
from pathlib import Path

import pytest
from testbed.journals import SESSION, journal_of
from testbed.loaded import entries, reopen

from agent_cli.sessions import journal
from agent_cli.types.errors import InvalidTransitionError

DAMAGED = {
    "line 3 does not fit its hash or its place; lost: 1 line, 7 bytes": b"{torn}\n",
    "line 3 does not fit its hash or its place; lost: 3 lines, 8 bytes": b"{torn}\n\n\n"[1:],
    "the last line is incomplete; lost: 1 line, 5 bytes": b"{torn",
    "line 3 does not fit its hash or its place; lost: 2 lines, 9 bytes": b"{torn}\n{\x00",
    "the last line is incomplete; lost: 1 line, 700000 bytes": bytes(700_000),
}


@pytest.mark.parametrize(("says", "rest"), DAMAGED.items())
def test_it_is_said_how_much_was_lost(tmp_path: Path, says: str, rest: bytes):
    path = tmp_path / "one.jsonl"
    path.write_bytes(journal_of(SESSION[:2]) + rest)
    log, loaded = reopen(path)
    log.close()
    assert (entries(loaded), loaded.damage) == (SESSION[:2], says)
    assert path.read_bytes() == journal_of(SESSION[:2])
    (copy,) = tmp_path.glob("*.damaged-*")
    assert copy.read_bytes() == journal_of(SESSION[:2]) + rest


def test_entries_that_contradict_each_other_leave_the_file_as_it_was(tmp_path: Path):
    path = tmp_path / "one.jsonl"
    data = journal_of(SESSION) + b"torn"
    path.write_bytes(data)
    opened = len(os.listdir("/proc/self/fd"))  # noqa: PTH208 - names are all we want

    def refuse(_: object) -> None:
        raise InvalidTransitionError("no")

    with pytest.raises(InvalidTransitionError):
        journal.reopen(path, refuse)
    assert len(os.listdir("/proc/self/fd")) == opened  # noqa: PTH208
    assert path.read_bytes() == data
    reopen(path)[0].close()

"""Whoever keeps a session that does not add up is found out."""

from pathlib import Path

import pytest
from testbed.journals import SESSION, journal_of
from testbed.kept import faults
from testbed.story import BEGINNING, asked

ROWS = {
    "a whole session": (journal_of(SESSION), ""),
    "a torn end": (journal_of(SESSION)[:-9], "the last line is incomplete"),
    "a call without a result": (journal_of([*BEGINNING, asked("a")]), "unanswered=('a',)"),
    "no session at all": (b'{"hash":"', ""),
}


@pytest.mark.unverified("the sessions that do not add up are what is tried out here")
@pytest.mark.parametrize(("data", "fault"), ROWS.values(), ids=ROWS)
def test_a_fault_is_named(data: bytes, fault: str, tmp_path: Path):
    folder = tmp_path / "home/agent/data/sessions/work"
    folder.mkdir(parents=True)
    (folder / "one.jsonl").write_bytes(data)
    found = [*faults(tmp_path)]
    assert len(found) == bool(fault)
    assert fault in "".join(found)

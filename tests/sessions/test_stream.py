"""A session file is read line by line, however long its lines are."""

from io import BytesIO
from pathlib import Path

from testbed.journals import SESSION, journal_of, lines_of

from agent_cli.sessions.stream import Reading, envelopes
from agent_cli.sessions.stream import lines_of as read_lines
from agent_cli.types.entries import UserSaid

JOURNAL = journal_of(SESSION)
PIECE = 1024 * 1024


def test_a_line_out_of_its_place_ends_what_is_read():
    lines = lines_of(SESSION)
    assert [one.seq for one in Reading([lines[0], lines[2]])] == [0]


def test_a_file_is_read(tmp_path: Path):
    path = tmp_path / "a.jsonl"
    path.write_bytes(JOURNAL)
    assert [one.entry for one in envelopes(path)] == SESSION


def test_a_line_may_be_longer_than_what_is_read_at_once():
    long = [*SESSION[:2], *(UserSaid("x" * (PIECE + more)) for more in (-200, -150, 0, 2 * PIECE))]
    reading = Reading(read_lines(BytesIO(journal_of(long))))
    assert [one.entry for one in reading] == long
    assert reading.damage == ""
    cut = Reading(read_lines(BytesIO(journal_of(long)[:-1])))
    assert len(list(cut)) == len(long) - 1
    assert cut.damage == "the last line is incomplete"


def test_what_is_no_line_of_ours_is_not_read_to_its_end():
    file = BytesIO(JOURNAL + bytes(8 * PIECE))
    assert [one.entry for one in Reading(read_lines(file))] == SESSION
    assert file.tell() <= len(JOURNAL) + PIECE

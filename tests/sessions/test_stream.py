"""A session file that is read line by line says the same as one that is read at once."""

from io import BytesIO
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st
from testbed.journals import SESSION, journal_of, lines_of

from agent_cli.sessions.codec import load
from agent_cli.sessions.stream import envelopes, opened

JOURNAL = journal_of(SESSION)


@given(cut=st.integers(0, len(JOURNAL)), flipped=st.integers(0, len(JOURNAL) - 1))
def test_whatever_is_damaged_the_same_beginning_is_read(cut: int, flipped: int):
    data = bytearray(JOURNAL)
    data[flipped] ^= 1
    for damaged in (JOURNAL[:cut], bytes(data)):
        assert tuple(opened(BytesIO(damaged))) == load(damaged).envelopes


def test_a_line_out_of_its_place_ends_what_is_read():
    lines = lines_of(SESSION)
    assert [one.seq for one in opened([lines[0], lines[2]])] == [0]


def test_a_file_is_read(tmp_path: Path):
    path = tmp_path / "a.jsonl"
    path.write_bytes(JOURNAL)
    assert [one.entry for one in envelopes(path)] == SESSION

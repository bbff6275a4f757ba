"""The journal's format: what was written is read; what was damaged is found where it is."""

import json
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st
from testbed.journals import SESSION, journal_of, lines_of, sealed
from testbed.loaded import entries, load

from agent_cli.engine.state import fold
from agent_cli.sessions.codec import SEED
from agent_cli.types.entries import Entry

LINES = lines_of(SESSION)
JOURNAL = b"".join(LINES)
BLOCK = 512


def whole_lines(data_length: int) -> int:
    """How many lines lie within the first so many bytes."""
    end = count = 0
    for line in LINES:
        end += len(line)
        if end > data_length:
            break
        count += 1
    return count


def test_the_journal_of_these_tests_has_every_entry_and_makes_sense():
    assert {type(entry) for entry in SESSION} == set(get_args(Entry))
    assert fold(SESSION).task.limit is not None


def test_what_was_written_is_read():
    loaded = load(JOURNAL)
    assert entries(loaded) == SESSION
    assert [envelope.seq for envelope in loaded.envelopes] == list(range(len(SESSION)))
    assert (loaded.valid_bytes, loaded.damage) == (len(JOURNAL), "")
    assert loaded.last_hash == json.loads(LINES[-1])["hash"]


@pytest.mark.invariant("I9")
def test_a_line_is_one_json_object_that_begins_with_its_hash():
    for line in LINES:
        assert line.endswith(b"\n")
        assert line.count(b"\n") == 1
        assert b"\r" not in line
        assert list(json.loads(line)) == ["hash", "seq", "at", "entry"]


def test_nothing_is_a_journal_without_entries():
    assert load(b"") == load(JOURNAL[:0])
    assert (load(b"").valid_bytes, load(b"").last_hash, load(b"").damage) == (0, SEED, "")


@pytest.mark.invariant("I9")
def test_cut_at_any_byte_it_opens_to_the_longest_valid_history():
    for cut in range(len(JOURNAL)):
        loaded = load(JOURNAL[:cut])
        count = whole_lines(cut)
        assert len(loaded.envelopes) == count
        assert loaded.valid_bytes == sum(map(len, LINES[:count]))
        assert bool(loaded.damage) == (cut != loaded.valid_bytes)


@pytest.mark.invariant("I9")
def test_any_flipped_bit_is_found_in_its_line():
    for place in range(len(JOURNAL)):
        for bit in range(8) if place < len(LINES[0]) else [place % 8]:
            data = bytearray(JOURNAL)
            data[place] ^= 1 << bit
            loaded = load(bytes(data))
            assert loaded.damage
            assert len(loaded.envelopes) == whole_lines(place)


@pytest.mark.invariant("I9")
@given(st.integers(0, len(JOURNAL) - 1))
def test_any_zeroed_block_is_found_in_its_line(place: int):
    data = JOURNAL[:place] + bytes(min(BLOCK, len(JOURNAL) - place)) + JOURNAL[place + BLOCK :]
    loaded = load(data)
    assert loaded.damage
    assert len(loaded.envelopes) == whole_lines(place)


@given(st.integers(0, len(LINES) - 2), st.sampled_from([0, 1]))
def test_a_line_that_is_missing_or_there_twice_is_found(which: int, twice: int):
    lines = (
        [*LINES[: which + 1], *LINES[which:]] if twice else [*LINES[:which], *LINES[which + 1 :]]
    )
    loaded = load(b"".join(lines))
    assert loaded.damage == f"line {which + 1 + twice} does not fit its hash or its place"
    assert len(loaded.envelopes) == which + twice


@pytest.mark.invariant("I9")
@given(st.binary(max_size=300), st.integers(0, len(LINES)))
def test_garbage_never_raises_and_hides_nothing_before_it(garbage: bytes, kept: int):
    data = b"".join(LINES[:kept])
    loaded = load(data + b"\x00" + garbage)
    assert loaded.valid_bytes == len(data)
    assert loaded.damage


@pytest.mark.parametrize(
    "body",
    [
        b'{"seq":0,"at":"","entry":{"type":"unheard_of"}}',
        b'{"seq":0,"at":"","entry":{"type":"task_started"}}',
        b'{"seq":0,"at":"\xff","entry":{"type":"task_started","mode":"code"}}',
        b'{"seq":0,"at":"\\ud800","entry":{"type":"task_started","mode":"code"}}',
        b'{"seq":0,"x":' + b"[" * 100_000 + b"]" * 100_000 + b"}",
        b'{"seq":1,"at":"","entry":{"type":"task_started","mode":"code"}}',
        b"{not json}",
        b"{}",
    ],
    ids=["entry", "field", "bytes", "surrogate", "depth", "place", "syntax", "empty"],
)
def test_a_good_hash_does_not_make_a_line_good(body: bytes):
    loaded = load(sealed(body))
    assert loaded.envelopes == ()
    assert loaded.damage


def test_a_line_of_another_journal_is_found():
    other = lines_of([SESSION[0], *SESSION[2:]])
    loaded = load(LINES[0] + LINES[1] + other[2])
    assert loaded.valid_bytes == len(LINES[0] + LINES[1])
    assert journal_of(SESSION[:2]) == LINES[0] + LINES[1]

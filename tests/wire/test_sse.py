"""Server-sent events: any bytes in any pieces."""

import time
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_cli.wire.frames import Frame
from agent_cli.wire.sse import SseReader, write_event

READINGS = [
    pytest.param(b"data: a\n\n", [Frame(b"a")], id="one line"),
    pytest.param(b"data:a\n\n", [Frame(b"a")], id="the space is optional"),
    pytest.param(b"data:  a\n\n", [Frame(b" a")], id="only one space is dropped"),
    pytest.param(b"data: a\r\n\r\n", [Frame(b"a")], id="CRLF"),
    pytest.param(b"data: a\r\r", [Frame(b"a")], id="CR"),
    pytest.param(b"data: a\rdata: b\n\r\n", [Frame(b"a\nb")], id="mixed line ends"),
    pytest.param(b"data: a\ndata: b\n\n", [Frame(b"a\nb")], id="lines are joined"),
    pytest.param(b"data: a\ndata\ndata:\n\n", [Frame(b"a\n\n")], id="empty lines count"),
    pytest.param(b"event: x\ndata: a\n\ndata: b\n\n", [Frame(b"a", "x"), Frame(b"b")], id="name"),
    pytest.param(b": hello\n\ndata: a\n:\n\n", [Frame(b"a")], id="comments"),
    pytest.param(b"event: ping\n\ndata: a\n\n", [Frame(b"a")], id="no data, no event"),
    pytest.param(b"data:\n\ndata\n\ndata: a\n\n", [Frame(b"a")], id="empty data, no event"),
    pytest.param(b"id: 1\nretry: 5\nfoo: x\nbar\ndata: a\n\n", [Frame(b"a")], id="other fields"),
    pytest.param(b"\xef\xbb\xbfdata: a\n\n", [Frame(b"a")], id="byte order mark"),
    pytest.param(b"data: a\n\n\xef\xbb\xbfdata: b\n\n", [Frame(b"a")], id="a later mark is a name"),
    pytest.param(b"data: [DONE]\n\n", [Frame(b"[DONE]")], id="terminator"),
    pytest.param(b"data: a\xe2\x80\xa8b\x0cc\n\n", [Frame(b"a\xe2\x80\xa8b\x0cc")], id="no ends"),
    pytest.param(b"event: \xff\ndata: a\n\n", [Frame(b"a", "\ufffd")], id="name is not UTF-8"),
    pytest.param(b"data: a\n", [], id="unfinished"),
    pytest.param(b"", [], id="nothing"),
]


def read(stream: bytes, size: int) -> list[Frame]:
    reader = SseReader()
    pieces = [stream[at : at + size] for at in range(0, len(stream), size)]
    return [frame for piece in pieces for frame in reader.feed(piece)]


@pytest.mark.parametrize("size", [1, 2, 3, 1000])
@pytest.mark.parametrize(("stream", "frames"), READINGS)
def test_a_stream_is_read_by_the_standard(stream, frames, size):
    assert read(stream, size) == frames


PIECES = st.sampled_from(
    [b"\r", b"\n", b"\r\n", b"data", b":", b" ", b"event", b"a", b"\xef\xbb\xbf", b"data: x\n\n"]
)


@given(st.lists(PIECES, max_size=40), st.data())
def test_how_the_stream_is_cut_does_not_matter(pieces, data):
    stream = b"".join(pieces)
    cuts = sorted(data.draw(st.lists(st.integers(0, len(stream)))))
    reader, whole = SseReader(), SseReader()
    edges = [0, *cuts, len(stream)]
    frames = [frame for start, end in pairwise(edges) for frame in reader.feed(stream[start:end])]
    assert frames == whole.feed(stream)
    assert reader.pending == whole.pending


LINES = st.text(st.characters(exclude_characters="\r", codec="utf-8"), min_size=1)
FRAMES = st.builds(
    Frame,
    LINES.map(str.encode),
    st.text(st.characters(exclude_characters="\r\n", codec="utf-8")).map(str.lstrip),
)


@given(st.lists(FRAMES))
def test_written_events_are_read_back(frames):
    assert SseReader().feed(b"".join(map(write_event, frames))) == frames


def test_a_carriage_return_in_data_is_written_as_a_line_end():
    assert write_event(Frame(b"a\rb\r\nc")) == b"data: a\ndata: b\ndata: c\n\n"


@pytest.mark.parametrize(
    ("stream", "pending"),
    [
        (b"", False),
        (b"data: a\n\n", False),
        (b"data: a\r\n\r", False),
        (b": keep", False),
        (b"\xef\xbb\xbf", False),
        (b"d", True),
        (b"data: a", True),
        (b"data: a\n", True),
        (b"event: x\n", True),
    ],
)
def test_an_unfinished_event_is_pending(stream, pending):
    reader = SseReader()
    reader.feed(stream)
    assert reader.pending is pending


def test_many_small_events_and_one_long_line_are_read_in_linear_time():
    event = b'event: content_block_delta\ndata: {"index":0,"text":"abcd"}\n\n'
    small, long = event * (5_000_000 // len(event)), b"data: " + b"x" * 2_000_000 + b"\n\n"
    started = time.process_time()
    assert len(read(small, 65536)) == 5_000_000 // len(event)
    assert len(read(long, 100)) == 1
    assert time.process_time() - started < 2  # 0.1 s where nothing else runs

"""Reading a stream must cost next to nothing, since the terminal shares the processor with it."""

import sys
import time

import msgspec
import pytest

from agent_cli.types.events import TextDelta
from agent_cli.wire import openai_chat, openai_responses
from agent_cli.wire.frames import Frame

TEXT = "x" * 40
CHOICE = {"index": 0, "delta": {"content": TEXT}, "logprobs": None, "finish_reason": None}
CHUNK = {"id": "c", "object": "chat.completion.chunk", "created": 1, "choices": [CHOICE]}
EVENT = {
    "type": "response.output_text.delta",
    "sequence_number": 1,
    "item_id": "msg_1",
    "output_index": 0,
    "content_index": 0,
    "delta": TEXT,
    "logprobs": [],
}
DELTAS = [
    pytest.param(openai_chat, CHUNK, id="openai_chat"),
    pytest.param(openai_responses, EVENT, id="openai_responses"),
]


@pytest.mark.skipif(sys.gettrace() is not None, reason="a tracer is measured, not the decoder")
@pytest.mark.parametrize(("codec", "delta"), DELTAS)
def test_reading_five_megabytes_in_small_deltas_is_cheap(codec, delta):
    frame = Frame(msgspec.json.encode(delta))
    decoder = codec.decoder()
    start = time.process_time()
    for _ in range(5_000_000 // len(TEXT)):
        deltas = decoder.decode(frame)
    assert time.process_time() - start < 0.7
    assert deltas == (TextDelta(TEXT),)

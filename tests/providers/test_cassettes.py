"""Recording and replaying: what was heard is heard again, through the same codec."""

import asyncio
import stat

import msgspec
import pytest
from testbed.loopback import Answer, Loopback, sent

from agent_cli.providers.cassette import parse_cassette, read_cassette
from agent_cli.providers.registry import connect, resolve
from agent_cli.settings.schema import ProviderSettings, RetrySettings, Settings
from agent_cli.types.errors import ConfigurationError, Fault, ProviderError
from agent_cli.types.events import MessageEnd, Retrying, TextDelta, ToolCallBegin
from agent_cli.types.messages import AssistantMessage, StopReason, Text, ToolCall, UserMessage
from agent_cli.types.requests import ModelRequest, Protocol
from agent_cli.wire import openai_chat
from agent_cli.wire.sse import write_event

REQUEST = ModelRequest("m", "", (UserMessage("secret question"),))
MESSAGE = AssistantMessage(
    (Text("é\n"), ToolCall("call_1", "read_file", '{"path": "a"}')), StopReason.CALLS
)
STREAM = b"".join(write_event(frame) for frame in openai_chat.encode_stream(MESSAGE, "m"))
HEADER = b'{"format":1,"codec":"openai_chat","model":"home/m"}\n'
SAY = b'{"say":%b}\n' % msgspec.json.encode(MESSAGE)


async def play(provider, times=1):
    deltas = [[delta async for delta in provider.stream(REQUEST)] for _ in range(times)]
    await provider.close()
    return deltas


def replayed(path, times=1):
    resolved = resolve(f"replay:{path}", Settings(), {})
    return asyncio.run(play(connect(resolved, Settings(), Protocol.NATIVE), times))


@pytest.fixture
def cassette(tmp_path):
    def write(*lines):
        path = tmp_path / "tape.jsonl"
        path.write_bytes(b"".join(lines))
        return path

    return write


def test_a_recording_replays_to_the_same_deltas_with_its_retries(tmp_path):
    path = tmp_path / "tape.jsonl"

    async def record():
        cut = Answer(sent(STREAM[: len(STREAM) // 2]), end="cut")
        refused = Answer(status=529, headers={"retry-after": "0"})
        async with Loopback(refused, cut, Answer(sent(STREAM)), Answer(sent(STREAM))) as server:
            own = ProviderSettings(base_url=server.url, wire="openai_chat")
            settings = Settings(providers={"home": own}, retry=RetrySettings(cap=0.01))
            resolved = resolve("home/m", settings, {})
            return await play(connect(resolved, settings, Protocol.NATIVE, path), 2)

    heard = asyncio.run(record())
    again = replayed(path, 2)
    assert [isinstance(delta, Retrying) for delta in heard[0]].count(True) == 2
    assert [isinstance(delta, Retrying) for delta in again[0]].count(True) == 1
    assert _without_retries(again) == _without_retries(heard)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert "secret question" not in path.read_text("utf-8")
    assert read_cassette(path).header.model == "home/m"


def _without_retries(messages):
    return [[delta for delta in deltas if not isinstance(delta, Retrying)] for deltas in messages]


def test_a_scripted_message_goes_through_the_codec(cassette):
    [deltas] = replayed(cassette(HEADER, SAY))
    assert [d.text for d in deltas if isinstance(d, TextDelta)] == ["é\n"]
    assert [d.name for d in deltas if isinstance(d, ToolCallBegin)] == ["read_file"]
    assert isinstance(deltas[-1], MessageEnd)
    assert deltas[-1].stop_reason is StopReason.CALLS


def test_scripted_and_recorded_exchanges_may_be_mixed(cassette):
    frames = b"".join(
        msgspec.json.encode({"frame": frame.data.decode(), "event": frame.event}) + b"\n"
        for frame in openai_chat.encode_stream(MESSAGE, "m")
    )
    path = cassette(HEADER, SAY, b'{"request":"0","messages":1}\n', frames, b"\n", SAY)
    one, two, three = replayed(path, 3)
    assert one == three
    assert one[-1].stop_reason is two[-1].stop_reason


def test_a_cassette_at_its_end_says_so(cassette):
    with pytest.raises(ProviderError, match=r"holds answers to 1 requests") as raised:
        replayed(cassette(HEADER, SAY), 2)
    assert raised.value.fault is Fault.INVALID_REQUEST


BAD = [
    pytest.param(b"", "1: Input data was truncated", id="empty"),
    pytest.param(b'{"format":2,"codec":"openai_chat","model":"m"}', "format 2", id="newer"),
    pytest.param(b'{"format":1,"codec":"x","model":"m"}', "unknown codec 'x'", id="codec"),
    pytest.param(HEADER + b'{"frame":"x"}', "2: a frame of no request", id="stray frame"),
    pytest.param(HEADER + b"\n{}", "3: it is no request", id="nothing"),
    pytest.param(HEADER + b"{", "2: Input data was truncated", id="no JSON"),
    pytest.param(HEADER + b'{"sya":1}', "unknown field `sya`", id="unknown field"),
]


@pytest.mark.parametrize(("data", "message"), BAD)
def test_a_cassette_that_cannot_be_played_says_where(cassette, data, message):
    path = cassette(data)
    with pytest.raises(ConfigurationError) as raised:
        replayed(path)
    assert str(raised.value).startswith("cannot replay ")
    assert message in str(raised.value)
    assert str(path) in str(raised.value)


def test_a_cassette_that_is_not_there_says_so(tmp_path):
    with pytest.raises(ConfigurationError, match="No such file"):
        replayed(tmp_path / "none")


def test_a_recording_never_overwrites(tmp_path):
    path = tmp_path / "tape.jsonl"
    path.write_text("mine")
    resolved = resolve("ollama/x", Settings(), {})
    with pytest.raises(ConfigurationError, match=r"cannot record to .*exists"):
        connect(resolved, Settings(), Protocol.NATIVE, path)
    assert path.read_text() == "mine"


def test_an_exchange_without_frames_is_an_empty_one():
    cassette = parse_cassette(HEADER + b'{"request":"0"}\n{"request":"1"}\n', "tape")
    assert cassette.exchanges == ((), ())

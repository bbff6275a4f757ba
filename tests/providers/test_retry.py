"""Asking again: when, how often, after how long, and what is void then."""

import asyncio

import msgspec
import pytest
from testbed.loopback import CLOSED, Answer, Loopback, sent

from agent_cli.providers.base import Endpoint
from agent_cli.providers.direct import DirectTransport
from agent_cli.providers.retry import WireProvider, delay_before
from agent_cli.settings.schema import RetrySettings
from agent_cli.types.errors import Fault, ProviderError
from agent_cli.types.events import MessageEnd, Retrying, TextDelta
from agent_cli.types.messages import AssistantMessage, StopReason, Text, UserMessage
from agent_cli.types.requests import ModelRequest
from agent_cli.wire import openai_chat
from agent_cli.wire.sse import write_event

REQUEST = ModelRequest("m", "be brief", (UserMessage("hi"),))
MESSAGE = AssistantMessage((Text("hello"),))
STREAM = b"".join(write_event(frame) for frame in openai_chat.encode_stream(MESSAGE, "m"))
GOOD = Answer(sent(STREAM))
CUT = Answer(sent(STREAM[: len(STREAM) // 2]), end="cut")
BUSY = Answer(status=529)


def ask(*answers, retry=RetrySettings(), requests=1):
    """Return the deltas of each request or its error, the waits, and the server."""
    waits = []

    async def sleep(seconds):
        waits.append(seconds)

    async def conversation():
        async with Loopback(*answers) as server:
            endpoint = Endpoint(server.url, stall_timeout=2)
            transport = DirectTransport(endpoint, openai_chat.PATH, ())
            provider = WireProvider(openai_chat, transport, retry, sleep)
            results = [await outcome(provider) for _ in range(requests)]
            await provider.close()
            return results, waits, server

    return asyncio.run(conversation())


async def outcome(provider):
    deltas = []
    try:
        async for delta in provider.stream(REQUEST):
            deltas.append(delta)  # noqa: PERF401 - the deltas before an error are wanted
    except ProviderError as error:
        return deltas, error
    return deltas, None


def kept(deltas):
    """Return the text that is not void, and the rest."""
    last = max((i for i, delta in enumerate(deltas) if isinstance(delta, Retrying)), default=-1)
    return "".join(delta.text for delta in deltas[last + 1 :] if isinstance(delta, TextDelta))


def test_a_good_stream_ends_with_exactly_one_message_end():
    [(deltas, error)], waits, _ = ask(GOOD)
    assert error is None
    assert waits == []
    assert kept(deltas) == "hello"
    assert [isinstance(delta, MessageEnd) for delta in deltas] == [False] * (len(deltas) - 1) + [
        True
    ]


@pytest.mark.parametrize("fault", [BUSY, CUT, CLOSED, Answer(status=500), Answer(status=429)])
def test_what_may_pass_is_asked_again_with_the_same_bytes(fault):
    [(deltas, error)], waits, server = ask(fault, fault, GOOD)
    assert error is None
    assert kept(deltas) == "hello"
    retries = [delta for delta in deltas if isinstance(delta, Retrying)]
    assert [retry.attempt for retry in retries] == [2, 3]
    assert [retry.delay for retry in retries] == waits
    assert all(retry.reason for retry in retries)
    assert len({request.body for request in server.requests}) == 1


def test_a_stream_that_ends_without_its_terminal_event_is_cut():
    unfinished = Answer(sent(STREAM.partition(b'finish_reason":"')[0].rpartition(b"data:")[0]))
    [(deltas, error)], waits, _ = ask(unfinished, GOOD)
    assert error is None
    assert kept(deltas) == "hello"
    assert len(waits) == 1


def test_a_stream_that_ends_after_the_finish_reason_is_whole():
    finish = next(line for line in STREAM.split(b"\n\n") if b'"finish_reason":"stop"' in line)
    without_usage = STREAM[: STREAM.index(finish) + len(finish)] + b"\n\n"
    [(deltas, error)], waits, _ = ask(Answer(sent(without_usage)))
    assert error is None
    assert waits == []
    assert isinstance(deltas[-1], MessageEnd)
    assert (deltas[-1].stop_reason, deltas[-1].usage.estimated) == (StopReason.END, True)


@pytest.mark.parametrize("status", [400, 401, 403, 404])
def test_what_will_not_pass_is_not_asked_again(status):
    [(_, error)], waits, server = ask(Answer(status=status))
    assert error.status == status
    assert waits == []
    assert len(server.requests) == 1


@pytest.mark.invariant("L2")
def test_attempts_are_limited_and_the_error_says_so():
    [(_, error)], waits, server = ask(BUSY, BUSY, BUSY, retry=RetrySettings(attempts=3))
    assert error.fault is Fault.OVERLOADED
    assert error.__notes__ == ["given up after 3 attempts"]
    assert len(server.requests) == 3
    assert len(waits) == 2


def test_after_a_refusal_the_provider_can_be_asked_again():
    results, _, server = ask(Answer(status=400), GOOD, requests=2)
    assert results[0][1].fault is Fault.INVALID_REQUEST
    assert kept(results[1][0]) == "hello"
    assert server.connections == 2


def test_the_connection_outlives_the_terminal_event():
    results, _, server = ask(GOOD, GOOD, GOOD, requests=3)
    assert [error for _, error in results] == [None] * 3
    assert server.connections == 1


@pytest.mark.parametrize("end", ["stall", "cut"])
def test_a_whole_message_stands_whatever_happens_to_its_connection(end):
    answer = Answer(sent(STREAM), end=end)
    results, waits, server = ask(answer, GOOD, requests=2)
    assert [error for _, error in results] == [None, None]
    assert waits == []
    assert server.connections == 2


def error(fault=Fault.RATE_LIMITED, retry_after=None):
    return ProviderError("busy", fault, retry_after=retry_after)


@pytest.mark.invariant("L2")
@pytest.mark.parametrize(
    ("attempt", "longest"), [(2, 0.5), (3, 1), (4, 2), (5, 4), (9, 60), (5000, 60)]
)
def test_waits_double_up_to_the_cap_and_vary_by_a_quarter(attempt, longest):
    retry = RetrySettings(attempts=10_000)
    delays = {delay_before(attempt, error(), retry) for _ in range(50)}
    assert all(longest * 0.75 <= delay <= longest for delay in delays)
    assert len(delays) > 1


def test_the_servers_wish_is_honoured_and_never_shortens_the_wait():
    assert delay_before(2, error(retry_after=7), RetrySettings()) == 7
    assert delay_before(5, error(retry_after=0), RetrySettings()) >= 3


def test_a_server_that_wants_too_long_a_wait_is_given_up_with_a_reason():
    with pytest.raises(ProviderError, match=r"wait 3600 s, longer than the 60 s") as raised:
        delay_before(2, error(retry_after=3600), RetrySettings())
    assert raised.value.fault is Fault.RATE_LIMITED
    assert raised.value.retry_after == 3600


def test_waiting_can_be_cancelled():
    async def cancel():
        async with Loopback(BUSY) as server:
            transport = DirectTransport(Endpoint(server.url), openai_chat.PATH, ())
            provider = WireProvider(openai_chat, transport, RetrySettings())
            stream = provider.stream(REQUEST)
            first = await anext(stream)
            waiting = asyncio.create_task(anext(stream))
            await asyncio.sleep(0)
            waiting.cancel()
            with pytest.raises(asyncio.CancelledError):
                await waiting
            await provider.close()
            return first

    assert isinstance(asyncio.run(cancel()), Retrying)


def test_requests_of_a_session_extend_the_same_prefix():
    async def conversation():
        async with Loopback(GOOD, GOOD) as server:
            transport = DirectTransport(Endpoint(server.url), openai_chat.PATH, ())
            provider = WireProvider(openai_chat, transport, RetrySettings())
            longer = msgspec.structs.replace(
                REQUEST, messages=(*REQUEST.messages, MESSAGE, UserMessage("again"))
            )
            for request in (REQUEST, longer):
                async for _ in provider.stream(request):
                    pass
            await provider.close()
            return [request.body for request in server.requests]

    first, second = asyncio.run(conversation())
    common = first.index(b'"hi"') + len(b'"hi"')
    assert first[:common] == second[:common]

"""One contract for direct and SDK transport: same bytes and faults, same frames and errors."""

import asyncio
from collections.abc import Callable
from contextlib import aclosing

import pytest
from testbed.loopback import CLOSED, SILENT, Answer, Loopback, sent

from agent_cli.providers.base import Endpoint, Transport
from agent_cli.providers.direct import DirectTransport
from agent_cli.providers.headers import headers_for
from agent_cli.providers.sdk_anthropic import open_transport as open_anthropic
from agent_cli.providers.sdk_openai import open_transport as open_openai
from agent_cli.types.errors import Fault, ProviderError
from agent_cli.wire.frames import Frame

STREAM = b': hello\n\nevent: a\ndata: {"x": "\xc3\xa9"}\n\ndata: one\ndata: two\n\ndata: [DONE]\n\n'
FRAMES = [Frame('{"x": "é"}'.encode(), "a"), Frame(b"one\ntwo"), Frame(b"[DONE]")]

Opener = Callable[..., Transport]


def direct(endpoint: Endpoint, codec: str, path: str) -> Transport:
    return DirectTransport(endpoint, path, headers_for(endpoint, codec))


def sdk(endpoint: Endpoint, codec: str, path: str) -> Transport:
    opener = open_anthropic if codec == "anthropic_messages" else open_openai
    return opener(endpoint, path, headers_for(endpoint, codec))


CODECS = [("openai_chat", "/chat/completions"), ("anthropic_messages", "/v1/messages")]

every_transport = pytest.mark.parametrize(
    ("opener", "codec", "path"),
    [
        pytest.param(opener, codec, path, id=f"{opener.__name__}-{codec}")
        for opener in (direct, sdk)
        for codec, path in CODECS
    ],
)


def ask(opener, codec, path, *answers, times=1, **endpoint):
    """Send to a server with these answers; return what came of each request, and the requests."""

    async def conversation():
        async with Loopback(*answers) as server:
            given = {"base_url": server.url, "api_key": "k", **endpoint}
            transport = opener(Endpoint(**given), codec, path)
            results = [await outcome(transport) for _ in range(times)]
            await transport.close()
            return results, server

    return asyncio.run(conversation())


async def outcome(transport):
    frames = []
    try:
        async with aclosing(transport.send(b'{"model": "m"}')) as stream:
            async for frame in stream:
                frames.append(frame)  # noqa: PERF401 - the frames before an error are wanted
    except ProviderError as error:
        return frames, error
    return frames, None


@every_transport
@pytest.mark.parametrize("size", [0, 1, 7])
@pytest.mark.parametrize("framing", ["chunked", "length", "close"])
def test_frames_do_not_depend_on_chunks_or_framing(opener, codec, path, size, framing):
    [(frames, error)], server = ask(
        opener, codec, path, Answer(sent(STREAM, size), framing=framing)
    )
    assert error is None
    assert frames == FRAMES
    assert server.requests[0].body == b'{"model": "m"}'
    assert (server.requests[0].method, server.requests[0].target) == ("POST", path)


@every_transport
def test_the_key_is_shown_in_the_way_of_the_wire_format(opener, codec, path):
    _, server = ask(opener, codec, path, Answer(sent(STREAM)), headers=(("x-team", "blue"),))
    headers = server.requests[0].headers
    shown = {name: headers.get(name) for name in ("authorization", "x-api-key")}
    if codec == "anthropic_messages":
        assert shown == {"authorization": None, "x-api-key": "k"}
        assert headers["anthropic-version"] == "2023-06-01"
    else:
        assert shown == {"authorization": "Bearer k", "x-api-key": None}
    assert headers["x-team"] == "blue"
    assert headers["content-type"] == "application/json"
    assert headers["accept-encoding"] == "identity"


@every_transport
def test_a_bearer_token_of_ones_own_replaces_the_key(opener, codec, path):
    token = (("authorization", "Bearer t"),)
    _, server = ask(opener, codec, path, Answer(sent(STREAM)), api_key="", headers=token)
    headers = server.requests[0].headers
    assert headers["authorization"] == "Bearer t"
    assert "x-api-key" not in headers


@every_transport
def test_without_a_key_none_is_sent_even_if_the_environment_has_one(
    opener, codec, path, monkeypatch
):
    monkeypatch.setenv("OPENAI_API_KEY", "secret")
    monkeypatch.setenv("ANTHROPIC_API_KEY", "secret")
    _, server = ask(opener, codec, path, Answer(sent(STREAM)), api_key="")
    headers = server.requests[0].headers
    assert "secret" not in str(headers)
    assert "authorization" not in headers


JSON = {"content-type": "application/json"}

REFUSALS = [
    pytest.param(Answer(status=401), (Fault.AUTHENTICATION, 401), id="401"),
    pytest.param(Answer(status=429), (Fault.RATE_LIMITED, 429), id="429"),
    pytest.param(Answer(status=500), (Fault.SERVER, 500), id="500"),
    pytest.param(Answer(status=529), (Fault.OVERLOADED, 529), id="529"),
    pytest.param(
        Answer(sent(b"<html>bad gateway</html>"), 502, {"content-type": "text/html"}),
        (Fault.SERVER, 502),
        id="a gateway's page",
    ),
    pytest.param(
        Answer(sent(b'{"error": {"message": "prompt is too long"}}'), 400, JSON),
        (Fault.CONTEXT_WINDOW, 400),
        id="too long",
    ),
    pytest.param(
        Answer(status=307, headers={"location": "http://elsewhere.invalid/"}),
        (Fault.INVALID_REQUEST, 307),
        id="redirect",
    ),
    pytest.param(
        Answer(sent(b'{"error": {"message": "no"}}'), 200, JSON),
        (Fault.INVALID_REQUEST, 200),
        id="JSON instead of a stream",
    ),
]


@every_transport
@pytest.mark.parametrize(("answer", "expected"), REFUSALS)
def test_a_refusal_is_an_error_of_its_kind(opener, codec, path, answer, expected):
    [(frames, error)], server = ask(opener, codec, path, answer)
    assert frames == []
    assert (error.fault, error.status) == expected
    assert len(server.requests) == 1


@every_transport
def test_a_refusal_says_how_long_to_wait(opener, codec, path):
    answer = Answer(status=429, headers={"retry-after": "7"})
    [(_, error)], _ = ask(opener, codec, path, answer)
    assert error.retry_after == 7


FAULTS = [
    pytest.param(Answer(sent(STREAM), end="cut"), (Fault.CUT, FRAMES), id="cut"),
    pytest.param(Answer(sent(STREAM), end="stall"), (Fault.CUT, FRAMES), id="stalled"),
    pytest.param(SILENT, (Fault.CUT, []), id="silent"),
    pytest.param(CLOSED, (Fault.UNREACHABLE, []), id="closed"),
    pytest.param(Answer(before=b"SSH-2.0-x\r\n"), (Fault.UNREACHABLE, []), id="another protocol"),
]


@every_transport
@pytest.mark.parametrize(("answer", "expected"), FAULTS)
def test_a_broken_answer_is_an_error_after_the_frames_that_came(
    opener, codec, path, answer, expected
):
    [(frames, error)], server = ask(opener, codec, path, answer, stall_timeout=0.3)
    assert (error.fault, frames) == expected
    assert len(server.requests) == 1


@every_transport
def test_nobody_listening_is_unreachable_by_host_and_port(opener, codec, path):
    async def refused():
        async with Loopback() as server:
            pass
        transport = opener(Endpoint(server.url), codec, path)
        result = await outcome(transport)
        await transport.close()
        return result, server.port

    (frames, error), port = asyncio.run(refused())
    assert frames == []
    assert error.fault is Fault.UNREACHABLE
    assert f"cannot reach 127.0.0.1:{port}: " in str(error)


@every_transport
def test_the_connection_is_used_again(opener, codec, path):
    results, server = ask(opener, codec, path, *[Answer(sent(STREAM))] * 3, times=3)
    assert results == [(FRAMES, None)] * 3
    assert server.connections == 1


@every_transport
def test_closing_the_stream_closes_the_socket_at_once(opener, codec, path):
    async def close_early():
        async with Loopback(Answer(sent(STREAM), end="stall")) as server:
            transport = opener(Endpoint(server.url), codec, path)
            async with aclosing(transport.send(b"{}")) as stream:
                async for _ in stream:
                    break
            await asyncio.wait_for(server.requests[0].gone.wait(), 5)
            await transport.close()

    asyncio.run(close_early())


@every_transport
@pytest.mark.parametrize("answer", [Answer(sent(STREAM), end="stall"), SILENT])
def test_cancelling_closes_the_socket_at_once(opener, codec, path, answer):
    async def cancel():
        async with Loopback(answer) as server:
            transport = opener(Endpoint(server.url), codec, path)
            asking = asyncio.create_task(outcome(transport))
            await server.asked.wait()
            asking.cancel()
            with pytest.raises(asyncio.CancelledError):
                await asking
            await asyncio.wait_for(server.requests[0].gone.wait(), 5)
            await transport.close()

    asyncio.run(cancel())

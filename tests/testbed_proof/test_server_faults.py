"""What the scripted server does on the wire, byte by byte, and what it notices."""

import http.client
import json
import socket
from collections.abc import Generator
from contextlib import closing, contextmanager
from threading import Event
from typing import Any

import pytest
from testbed.exchange import ANTHROPIC_MESSAGES, OPENAI_CHAT, OPENAI_RESPONSES, WIRES, Exchange
from testbed.replies import Call, Delivery, Hang, Raw, Reply, Say, Status
from testbed.server import ModelServer

PATHS = {
    ANTHROPIC_MESSAGES: "/v1/messages",
    OPENAI_CHAT: "/v1/chat/completions",
    OPENAI_RESPONSES: "/v1/responses",
}
QUESTION = {"role": "user", "content": "Hello"}
TERMINAL = {
    ANTHROPIC_MESSAGES: b"message_stop",
    OPENAI_CHAT: b"[DONE]",
    OPENAI_RESPONSES: b"response.completed",
}


def body(wire: str, **more: Any) -> dict[str, Any]:
    key = "input" if wire == OPENAI_RESPONSES else "messages"
    asked: dict[str, Any] = {"model": "m", key: [QUESTION], "stream": True}
    if wire == ANTHROPIC_MESSAGES:
        asked["max_tokens"] = 100
    return asked | more


def post(server: ModelServer, path: str, content: bytes) -> tuple[int, bytes]:
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=30)
    with closing(connection):
        connection.request("POST", path, content)
        answer = connection.getresponse()
        return answer.status, answer.read()


def ask(server: ModelServer, wire: str, **more: Any) -> bytes:
    status, answer = post(server, PATHS[wire], json.dumps(body(wire, **more)).encode())
    assert status == 200, answer
    return answer


@contextmanager
def asking(server: ModelServer, wire: str) -> Generator[socket.socket]:
    """A client that has sent its question, and may go away."""
    content = json.dumps(body(wire)).encode()
    head = f"POST {PATHS[wire]} HTTP/1.1\r\nhost: x\r\ncontent-length: {len(content)}\r\n\r\n"
    with closing(socket.create_connection(("127.0.0.1", server.port), timeout=30)) as client:
        client.sendall(head.encode() + content)
        yield client


@pytest.mark.parametrize("wire", WIRES)
def test_the_short_paths_are_served_too(wire: str):
    short = PATHS[wire] if wire == ANTHROPIC_MESSAGES else PATHS[wire].removeprefix("/v1")
    with ModelServer([Say("Hello.")]) as server:
        assert post(server, short, json.dumps(body(wire)).encode())[0] == 200
        assert [request.wire for request in server.requests] == [wire]


@pytest.mark.parametrize("chunk", [1, 3, 1000])
@pytest.mark.parametrize("wire", WIRES)
def test_the_size_of_writes_does_not_change_the_bytes(wire: str, chunk: int):
    def said(chunk: int) -> bytes:
        with ModelServer([Say("naïve " * 20, delivery=Delivery(chunk=chunk))]) as server:
            return ask(server, wire)

    assert said(chunk) == said(0)


def received(server: ModelServer, wire: str) -> tuple[bytes, bool, bool]:
    """The body as it came, whether it was ended properly, and whether the connection was reset."""
    raw, reset = b"", False
    with asking(server, wire) as client:
        try:
            while part := client.recv(65536):
                raw += part
        except ConnectionResetError:
            reset = True
    rest, content = raw.partition(b"\r\n\r\n")[2], b""
    while rest:
        size, _, rest = rest.partition(b"\r\n")
        length = int(size, 16)
        content, rest = content + rest[:length], rest[length + 2 :]
        if not length:
            return content, True, reset
    return content, False, reset


@pytest.mark.parametrize("wire", WIRES)
def test_a_stream_is_cut_after_the_byte_that_was_named(wire: str):
    say = Say("x" * 999)
    with ModelServer([say]) as server:
        complete = ask(server, wire)
    with ModelServer([Say("x" * 999, delivery=Delivery(cut_at=333))]) as server:
        assert received(server, wire) == (complete[:333], False, False)


@pytest.mark.parametrize("wire", WIRES)
def test_a_stream_can_be_cut_by_a_reset(wire: str):
    cut = Delivery(cut_at=333, reset=True)
    with ModelServer([Say("x" * 999, delivery=cut)]) as server:
        content, ended, reset = received(server, wire)
    assert reset
    assert not ended
    assert len(content) <= 333


@pytest.mark.parametrize("reply", [Hang(), Say("x" * 99, delivery=Delivery(stall_at=50))])
@pytest.mark.parametrize("wire", WIRES)
def test_a_stalled_server_notices_that_the_client_went_away(wire: str, reply: Reply):
    with ModelServer([reply]) as server:
        with asking(server, wire):
            exchange = server.wait_for(1)
            assert not exchange.gone.is_set()
        assert exchange.gone.wait(10)


@pytest.mark.parametrize("delivery", [Delivery(before=60), Delivery(between=60)], ids=repr)
def test_a_slow_server_does_not_wait_for_nobody(delivery: Delivery):
    with ModelServer([Say("Hello.", delivery=delivery)]) as server:
        with asking(server, OPENAI_CHAT):
            exchange = server.wait_for(1)
        assert exchange.gone.wait(10)
        assert not server.violations


def test_closing_the_server_ends_what_hangs():
    with ModelServer([Hang()]) as server:
        stack = asking(server, OPENAI_CHAT)
        client = stack.__enter__()
        server.wait_for(1)
    assert client.recv(1) == b""
    stack.__exit__(None, None, None)


@pytest.mark.parametrize("wire", WIRES)
def test_odd_events_come_where_they_are_asked_for(wire: str):
    script = [
        Say("Hello."),
        Say("Hello.", delivery=Delivery(unknown=1)),
        Say("Hello.", delivery=Delivery(repeat=1)),
        Say("Hello.", delivery=Delivery(drop_last=1)),
        Say("Hello.", delivery=Delivery(pings=1)),
        Say("Hello.", delivery=Delivery(trailing="garbage")),
    ]
    with ModelServer(script) as server:
        plain, unknown, repeated, shorter, pinged, trailing = (ask(server, wire) for _ in script)
    events = plain.count(b"data: ")
    assert unknown.count(b"foresight") >= events
    assert repeated.count(b"data: ") == events + 1
    assert shorter.count(b"data: ") == events - 1
    assert TERMINAL[wire] in plain
    assert TERMINAL[wire] not in shorter
    assert pinged.count(b"event: ping" if wire == ANTHROPIC_MESSAGES else b": keep-alive") == events
    assert trailing.endswith(b"garbage")


@pytest.mark.parametrize("wire", WIRES)
def test_usage_can_be_forgotten(wire: str):
    with ModelServer([Say("Hello.", usage=None)]) as server:
        said = ask(server, wire)
    assert b"input_tokens" not in said
    assert b"prompt_tokens" not in said


def test_raw_bytes_are_sent_as_they_are():
    with ModelServer([Raw("\ufeffdata: {}\n\n", code=206)]) as server:
        assert post(server, "/responses", json.dumps(body(OPENAI_RESPONSES)).encode()) == (
            206,
            "\ufeffdata: {}\n\n".encode(),
        )


@pytest.mark.parametrize("wire", WIRES)
def test_a_lone_surrogate_goes_out_escaped_and_is_refused_coming_in(wire: str):
    with ModelServer([Say("a\ud83d", delivery=Delivery(piece=0))]) as server:
        assert b"\\ud83d" in ask(server, wire)
        wrong = json.dumps(body(wire, model="\ud83d")).encode()
        assert post(server, PATHS[wire], wrong)[0] == 400
        assert "not valid JSON" in server.violations[0]


@pytest.mark.parametrize("content", [b"", b"[]", b"{", b'{"a": NaN}', b"\xff"])
def test_what_is_not_an_object_of_json_is_refused(content: bytes):
    with ModelServer([]) as server:
        status, answer = post(server, PATHS[ANTHROPIC_MESSAGES], content)
        assert status == 400
        assert json.loads(answer)["error"]["type"] == "invalid_request_error"
        assert len(server.violations) == 1


def test_an_unknown_path_is_not_found_and_recorded():
    with ModelServer([]) as server:
        assert post(server, "/v1/v1/messages", b"{}")[0] == 404
        assert server.violations == ["POST /v1/v1/messages is no endpoint of this server"]


def test_a_connection_serves_many_requests_and_a_body_in_chunks():
    with ModelServer([Say("One."), Status(429), Say("Two.")]) as server:
        connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=30)
        with closing(connection):
            content = json.dumps(body(OPENAI_CHAT)).encode()
            for expected in (200, 429, 200):
                parts = iter([content[:9], content[9:]])
                connection.request("POST", PATHS[OPENAI_CHAT], parts, encode_chunked=True)
                answer = connection.getresponse()
                assert answer.status == expected
                answer.read()
        headers = [request.headers["transfer-encoding"] for request in server.requests]
    assert headers == ["chunked"] * 3


def test_a_script_may_be_a_function_that_blocks_without_blocking_others():
    release = Event()

    def script(exchange: Exchange) -> Reply:
        if exchange.number == 0:
            release.wait(30)
        return Say(f"Answer {exchange.number}.", delivery=Delivery(piece=0))

    with ModelServer(script) as server, asking(server, OPENAI_CHAT) as first:
        server.wait_for(1)
        assert b"Answer 1." in ask(server, OPENAI_CHAT)
        release.set()
        received = b""
        while b"[DONE]" not in received:
            received += first.recv(65536)
    assert b"Answer 0." in received


def test_waiting_for_requests_that_do_not_come_says_how_many_came():
    with ModelServer([]) as server, pytest.raises(TimeoutError, match="0 of 1 requests"):
        server.wait_for(1, seconds=0.01)


def test_the_last_call_of_a_cut_message_is_incomplete_in_responses():
    say = Say(calls=[Call("a"), Call("b", '{"x')], stop="length")
    with ModelServer([say]) as server:
        answer = json.loads(ask(server, OPENAI_RESPONSES, stream=False))
    assert [item["status"] for item in answer["output"]] == ["completed", "incomplete"]

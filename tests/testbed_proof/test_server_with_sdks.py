"""The scripted server is taken for the real thing by the vendors' own clients."""

import json

import pytest
from testbed.exchange import ANTHROPIC_MESSAGES, OPENAI_CHAT, OPENAI_RESPONSES, WIRES
from testbed.replies import OMIT, Call, Close, Delivery, Say, Status, Usage
from testbed.sdk_clients import errors, events, streamed, whole
from testbed.server import ModelServer

TEXT = "I look at a.py, naïve as ever — 🙂."
CALLS = [Call("read_file", {"path": "a.py"}), Call("list_files", {"path": "ü/🙂"})]
REASONING = "Two files will do."
USAGE = Usage(input=1000, output=50, cache_read=700, cache_write=100, reasoning=9)
SPLITS = [
    pytest.param(Delivery(), id="large writes"),
    pytest.param(Delivery(chunk=1), id="byte by byte"),
    pytest.param(Delivery(chunk=7, piece=1), id="a character an event"),
    pytest.param(Delivery(piece=0), id="all in one event"),
    pytest.param(Delivery(crlf=True), id="CR LF"),
    pytest.param(Delivery(between=0.001), id="slowly"),
    pytest.param(Delivery(before=0.001), id="late"),
    pytest.param(Delivery(pings=2), id="with pings"),
    pytest.param(Delivery(trailing=": the end\n\n"), id="with a comment after the end"),
]
STOPS = {
    OPENAI_CHAT: ("tool_calls", "stop", "length"),
    OPENAI_RESPONSES: ("completed", "completed", "incomplete"),
    ANTHROPIC_MESSAGES: ("tool_use", "end_turn", "max_tokens"),
}


def saying(delivery: Delivery = Delivery()) -> Say:
    return Say(TEXT, CALLS, REASONING, usage=USAGE, delivery=delivery)


@pytest.mark.parametrize("wire", WIRES)
@pytest.mark.parametrize("delivery", SPLITS)
def test_a_streamed_answer_arrives_whole_however_it_is_cut(wire: str, delivery: Delivery):
    with ModelServer([saying(delivery)]) as server:
        heard = streamed(wire, server.url(wire))
        assert server.violations == []
    assert heard.text == TEXT
    assert heard.calls == [(call.name, call.args) for call in CALLS]
    assert heard.stop == STOPS[wire][0]
    assert heard.tokens == (1000, 50)


@pytest.mark.parametrize("wire", WIRES)
def test_an_answer_in_one_piece_says_the_same(wire: str):
    with ModelServer([saying(), saying()]) as server:
        first, second = whole(wire, server.url(wire)), streamed(wire, server.url(wire))
    assert first._replace(ids=[]) == second._replace(ids=[])


@pytest.mark.parametrize("ask", [whole, streamed])
@pytest.mark.parametrize("wire", WIRES)
def test_stop_reasons_are_in_the_vendors_words(wire: str, ask: type):
    with ModelServer([Say("Done."), Say("Cut", stop="length")]) as server:
        stops = [ask(wire, server.url(wire)).stop for _ in range(2)]
    assert stops == list(STOPS[wire][1:])


@pytest.mark.parametrize("wire", WIRES)
def test_ids_are_in_the_vendors_style_or_as_scripted(wire: str):
    script = [
        Say(calls=[Call("a"), Call("b")]),
        Say(calls=[Call("a", id="same"), Call("b", id="same")]),
        Say(calls=[Call("a", id="x" * 5000), Call("b", id="tööl:1")]),
        Say(calls=[Call("a", id=""), Call("b", id=OMIT)]),
    ]
    with ModelServer(script) as server:
        own, *rest = [streamed(wire, server.url(wire)).ids for _ in script]
    prefix = "toolu_" if wire == ANTHROPIC_MESSAGES else "call_"
    assert len(set(own)) == 2
    assert all(identifier.startswith(prefix) for identifier in own)
    assert rest == [["same", "same"], ["x" * 5000, "tööl:1"], ["", None]]


@pytest.mark.parametrize("wire", WIRES)
def test_the_same_script_gives_the_same_ids_on_every_run(wire: str):
    def ids() -> list[str]:
        with ModelServer([saying()]) as server:
            return streamed(wire, server.url(wire)).ids

    assert ids() == ids()


@pytest.mark.parametrize("wire", WIRES)
def test_arguments_can_be_cut_off_in_the_middle(wire: str):
    call = Call("write_to_file", {"path": "a.py", "content": "x = 1"})
    with ModelServer([Say(calls=[call.cut(18)], stop="length")]) as server:
        with pytest.raises(json.JSONDecodeError):
            streamed(wire, server.url(wire))
        assert server.requests[0].answered.wait(10)


@pytest.mark.parametrize("wire", WIRES)
def test_an_answer_can_be_empty(wire: str):
    with ModelServer([Say(), Say()]) as server:
        for ask in (whole, streamed):
            heard = ask(wire, server.url(wire))
            assert (heard.text, heard.calls) == ("", [])


@pytest.mark.parametrize("wire", WIRES)
def test_a_refused_history_takes_nothing_from_the_script(wire: str):
    wrong = [{"role": "assistant", "content": "I begin, and I end."}]
    with ModelServer([Say("Fine.")]) as server:
        with pytest.raises(errors(wire).BadRequestError) as refused:
            streamed(wire, server.url(wire), wrong)
        assert server.violations
        assert server.violations[0] in str(refused.value)
        assert server.requests == []
        assert streamed(wire, server.url(wire)).text == "Fine."


@pytest.mark.parametrize("wire", WIRES)
def test_a_request_the_script_does_not_know_is_refused(wire: str):
    with ModelServer([Say("Fine.")]) as server:
        streamed(wire, server.url(wire))
        with pytest.raises(errors(wire).BadRequestError, match="no answer for request 1"):
            streamed(wire, server.url(wire))
        assert server.violations == ["the script has no answer for request 1"]


REFUSALS = [
    (Status(400, "prompt is too long"), "BadRequestError"),
    (Status(401), "AuthenticationError"),
    (Status(403), "PermissionDeniedError"),
    (Status(404), "NotFoundError"),
    (Status(429, "Slow down", retry_after=1.5), "RateLimitError"),
    (Status(500), "InternalServerError"),
    (Status(502, html=True), "InternalServerError"),
    (Status(503), "InternalServerError"),
    (Status(529), "InternalServerError"),
]


@pytest.mark.parametrize("wire", WIRES)
@pytest.mark.parametrize(("status", "name"), REFUSALS, ids=[str(row[0].code) for row in REFUSALS])
def test_error_answers_become_the_clients_errors(wire: str, status: Status, name: str):
    with (
        ModelServer([status]) as server,
        pytest.raises(getattr(errors(wire), name)) as raised,
    ):
        streamed(wire, server.url(wire))
    assert raised.value.status_code == status.code
    assert status.message in str(raised.value)
    after = raised.value.response.headers.get("retry-after")
    assert after == ("1.5" if status.retry_after else None)


@pytest.mark.parametrize("reply", [Close(), Close(reset=True)], ids=["closed", "reset"])
@pytest.mark.parametrize("wire", WIRES)
def test_a_connection_closed_before_headers_is_a_connection_error(wire: str, reply: Close):
    with ModelServer([reply]) as server:
        with pytest.raises(errors(wire).APIConnectionError):
            streamed(wire, server.url(wire))
        assert len(server.requests) == 1


@pytest.mark.parametrize("wire", [ANTHROPIC_MESSAGES, OPENAI_CHAT])
def test_an_error_inside_the_stream_is_raised(wire: str):
    say = Say("A long story. " * 9, delivery=Delivery(error_at=4))
    with (
        ModelServer([say]) as server,
        pytest.raises(errors(wire).APIError, match="verloaded"),
    ):
        streamed(wire, server.url(wire))


def test_an_error_inside_a_responses_stream_is_its_last_event():
    say = Say("A long story. " * 9, delivery=Delivery(error_at=4))
    with ModelServer([say]) as server:
        *before, last = events(OPENAI_RESPONSES, server.url(OPENAI_RESPONSES))
    assert len(before) == 4
    assert (last.type, last.code) == ("error", "server_is_overloaded")


@pytest.mark.parametrize("wire", WIRES)
def test_a_stream_can_end_cleanly_without_its_terminal_event(wire: str):
    with ModelServer([Say("Half"), Say("Half", delivery=Delivery(unfinished=True))]) as server:
        complete, torn = (list(events(wire, server.url(wire))) for _ in range(2))
    assert 0 < len(torn) < len(complete)
    assert [type(event) for event in torn] == [type(event) for event in complete[: len(torn)]]


@pytest.mark.parametrize("wire", WIRES)
def test_half_a_line_of_json_is_what_the_clients_choke_on(wire: str):
    say = Say("x" * 99, delivery=Delivery(broken=3))
    with ModelServer([say]) as server, pytest.raises(json.JSONDecodeError):
        streamed(wire, server.url(wire))


@pytest.mark.parametrize("wire", WIRES)
def test_a_cut_in_the_middle_is_an_error_of_the_transport(wire: str):
    with ModelServer([Say("x" * 9999, delivery=Delivery(cut_at=2000))]) as server:
        with pytest.raises(Exception, match=r"peer closed|[Cc]onnection"):
            streamed(wire, server.url(wire))
        assert server.requests[0].answered.wait(10)

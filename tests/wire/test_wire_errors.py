"""What a provider's refusal means."""

import json

import pytest

from agent_cli.types.errors import Fault
from agent_cli.wire.errors import http_error, named_error, reported


def body(message: str, **fields: object) -> bytes:
    return json.dumps({"error": {"message": message, **fields}}).encode()


LONG = body("prompt is too long: 200001 tokens > 200000 maximum", type="invalid_request_error")
LENGTH = body("no", code="context_length_exceeded")
WORDS = body("This model's maximum context length is 8192 tokens")
QUOTA = body("You exceeded your quota", type="insufficient_quota", code="insufficient_quota")

FAULTS = [
    pytest.param(401, body("no"), Fault.AUTHENTICATION, id="401"),
    pytest.param(403, body("no"), Fault.AUTHENTICATION, id="403"),
    pytest.param(429, body("no"), Fault.RATE_LIMITED, id="429"),
    pytest.param(429, QUOTA, Fault.INVALID_REQUEST, id="429 quota"),
    pytest.param(503, body("no"), Fault.OVERLOADED, id="503"),
    pytest.param(529, body("no"), Fault.OVERLOADED, id="529"),
    pytest.param(500, body("no", type="overloaded_error"), Fault.OVERLOADED, id="500 overloaded"),
    pytest.param(408, body("no"), Fault.SERVER, id="408"),
    pytest.param(409, body("no"), Fault.SERVER, id="409"),
    pytest.param(500, body("no"), Fault.SERVER, id="500"),
    pytest.param(502, b"<html>", Fault.SERVER, id="502"),
    pytest.param(400, LONG, Fault.CONTEXT_WINDOW, id="400 too long"),
    pytest.param(413, LONG, Fault.CONTEXT_WINDOW, id="413 too long"),
    pytest.param(400, LENGTH, Fault.CONTEXT_WINDOW, id="400 code"),
    pytest.param(400, WORDS, Fault.CONTEXT_WINDOW, id="400 words"),
    pytest.param(400, body("no"), Fault.INVALID_REQUEST, id="400"),
    pytest.param(404, body("no"), Fault.INVALID_REQUEST, id="404"),
    pytest.param(413, body("no"), Fault.INVALID_REQUEST, id="413"),
    pytest.param(302, b"", Fault.INVALID_REQUEST, id="302"),
]


@pytest.mark.parametrize(("status", "content", "fault"), FAULTS)
def test_a_status_has_a_fault(status, content, fault):
    error = http_error(status, content, {})
    assert error.fault is fault
    assert error.status == status


MESSAGES = [
    pytest.param(body("why"), "why", id="object"),
    pytest.param(b'{"error":"why"}', "why", id="text"),
    pytest.param(b'{"message":"why"}', "why", id="bare"),
    pytest.param(b'{"detail":"why"}', "why", id="detail"),
    pytest.param(b'[{"error":{"code":400,"message":"why"}}]', "why", id="array"),
    pytest.param(b'{"error":{"code":1}}', '{"error":{"code":1}}', id="no message"),
    pytest.param(b'{"error":[1]}', '{"error":[1]}', id="strange"),
    pytest.param(b"[]", "[]", id="empty array"),
    pytest.param(b"\xff" + b"x" * 400, "\ufffd" + "x" * 299, id="not JSON"),
    pytest.param(b"[" * 100_000, "[" * 300, id="nested"),
    pytest.param(b" \n", "HTTP status 400 without a message", id="empty"),
    pytest.param(body(""), "HTTP status 400 without a message", id="empty message"),
    pytest.param(QUOTA, "the account's quota is used up: You exceeded your quota", id="quota"),
]


@pytest.mark.parametrize(("content", "message"), MESSAGES)
def test_the_message_is_the_servers(content, message):
    assert str(http_error(400, content, {})) == message


NOW = 1_445_412_480.0
WAITS = [
    pytest.param({"retry-after": "2"}, 2.0, id="seconds"),
    pytest.param({"Retry-After": "1.5"}, 1.5, id="any case"),
    pytest.param({"retry-after-ms": "1500", "retry-after": "9"}, 1.5, id="milliseconds first"),
    pytest.param({"retry-after-ms": "soon", "retry-after": "9"}, 9.0, id="bad milliseconds"),
    pytest.param({"retry-after": "-3"}, 0.0, id="negative"),
    pytest.param({"retry-after": "Wed, 21 Oct 2015 07:28:10 GMT"}, 10.0, id="date"),
    pytest.param({"retry-after": "Wed, 21 Oct 2015 07:00:00 GMT"}, 0.0, id="past"),
    pytest.param({"retry-after": "tomorrow"}, None, id="nonsense"),
    pytest.param({"retry-after": "nan"}, None, id="not a number"),
    pytest.param({"retry-after": "inf"}, None, id="for ever"),
    pytest.param({"retry-after": ""}, None, id="empty"),
    pytest.param({}, None, id="absent"),
]


@pytest.mark.parametrize(("headers", "seconds"), WAITS)
def test_the_server_may_say_how_long_to_wait(headers, seconds):
    assert http_error(429, b"", headers, now=NOW).retry_after == seconds


def test_a_date_needs_the_time():
    headers = {"retry-after": "Wed, 21 Oct 2015 07:28:10 GMT"}
    assert http_error(429, b"", headers).retry_after is None


@pytest.mark.parametrize(
    ("status", "said", "retryable"),
    [
        (529, "false", False),
        (529, "true", True),
        (529, "", True),
        (429, "False ", False),
        (401, "false", False),
    ],
)
def test_the_server_may_forbid_a_retry(status, said, retryable):
    assert http_error(status, b"", {"x-should-retry": said}).retryable is retryable


def test_a_forbidden_retry_leaves_other_faults_alone():
    error = http_error(401, b"", {"x-should-retry": "false"})
    assert error.fault is Fault.AUTHENTICATION


@pytest.mark.parametrize(
    ("names", "message", "fault"),
    [
        (("overloaded_error",), "Overloaded", Fault.OVERLOADED),
        (("rate_limit_error",), "slow", Fault.RATE_LIMITED),
        (("api_error",), "oops", Fault.SERVER),
        (("authentication_error",), "key", Fault.AUTHENTICATION),
        (("invalid_request_error",), "bad", Fault.INVALID_REQUEST),
        (("invalid_request_error",), "prompt is too long", Fault.CONTEXT_WINDOW),
        (("context_length_exceeded", "invalid_request_error"), "no", Fault.CONTEXT_WINDOW),
        (("insufficient_quota",), "pay", Fault.INVALID_REQUEST),
        ((), "", Fault.SERVER),
    ],
)
def test_an_error_in_a_stream_has_a_fault(names, message, fault):
    assert named_error(names, message).fault is fault


def test_an_error_without_words_still_says_something():
    assert str(named_error(("api_error",), "")) == "the provider gave no reason"


@pytest.mark.parametrize(
    ("error", "fault", "words"),
    [
        ("it broke", Fault.SERVER, "it broke"),
        (None, Fault.SERVER, "the provider gave no reason"),
        ({}, Fault.SERVER, "the provider gave no reason"),
        ({"code": 429, "message": "m"}, Fault.RATE_LIMITED, "m"),
        ({"code": "529"}, Fault.OVERLOADED, "the provider gave no reason"),
        ({"type": 403, "message": "m"}, Fault.AUTHENTICATION, "m"),
        ({"code": 42, "message": "m"}, Fault.SERVER, "m"),
        ({"code": 500, "type": "rate_limit_error"}, Fault.RATE_LIMITED, "the provider gave no"),
        ({"code": "insufficient_quota", "message": "m"}, Fault.INVALID_REQUEST, "quota is used up"),
        ({"code": 400, "message": "your context window is full"}, Fault.CONTEXT_WINDOW, "full"),
    ],
)
def test_an_error_value_is_a_sentence_a_name_or_a_status(error, fault, words):
    found = reported(error)
    assert found.fault is fault
    assert words in str(found)


def test_calls_that_the_proxy_refused_for_their_order_are_a_fault_of_their_own():
    body = b'{"error": {"message": "mixed_tool_order: split them", "code": "mixed_tool_order"}}'
    refused = http_error(400, body, {"x-should-retry": "false"})
    assert (refused.fault, str(refused)) == (Fault.CALL_ORDER, "split them")
    streamed = named_error(("invalid_prompt",), "mixed_tool_order: split them")
    assert (streamed.fault, str(streamed)) == (Fault.CALL_ORDER, "split them")

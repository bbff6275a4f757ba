"""Results for the model and errors for the client."""

import json

from hypothesis import given
from hypothesis import strategies as st

from agent_cli.proxy.envelopes import (
    ProxyError,
    Refused,
    anthropic_error,
    failure,
    openai_error,
    success,
    upstream_message,
)


def test_a_result_is_data():
    envelope = success({"a": 1}, 1_000)
    assert json.loads(envelope.text) == {"ok": True, "status_code": 200, "data": {"a": 1}}


def test_a21_a_long_result_is_cut_and_says_so():
    envelope = success("ä" * 5_000_000, 16_384)
    read = json.loads(envelope.text)
    assert envelope.truncated
    assert read["truncated"] is True
    assert read["original_bytes"] == 10_000_000
    assert len(envelope.text.encode()) <= 16_384
    assert set(read["data"]) == {"ä"}


@given(st.text(min_size=1), st.integers(2_000, 5_000), st.integers(0, 3_000))
def test_a_cut_result_is_json_and_no_longer_than_allowed(text: str, times: int, limit: int):
    envelope = success(text * times, limit)
    assert json.loads(envelope.text)["ok"] is True
    assert len(envelope.text.encode()) <= max(limit, 1_024)


def test_a_failure_has_code_and_details():
    envelope = failure("timeout", "too slow", 504, {"seconds": 1})
    assert json.loads(envelope.text) == {
        "ok": False,
        "status_code": 504,
        "error": {"code": "timeout", "message": "too slow", "details": {"seconds": 1}},
    }


def test_a29_a_refusal_says_how_to_order_the_calls():
    managed = ({"id": "c2", "name": "docs_search", "index": 1},)
    native = ({"id": "c1", "name": "read_file", "index": 0},)
    refused = Refused("mixed_tool_order", managed, native, round=1)
    assert "docs_search" in refused.message
    assert "read_file" in refused.message
    assert "managed calls come first" in refused.message
    assert refused.details["executed"] is False
    error = ProxyError(400, refused.code, refused.message, details=refused.details)
    openai = openai_error(error)["error"]
    assert (openai["type"], openai["code"]) == ("invalid_request_error", "mixed_tool_order")
    assert openai["agent_proxy"]["managed_calls"] == list(managed)
    anthropic = anthropic_error(error, "req_1")
    assert anthropic["error"]["agent_proxy"]["code"] == "mixed_tool_order"
    assert anthropic["request_id"] == "req_1"


def test_a_terminal_call_in_the_wrong_place_is_explained():
    assert "the last call" in Refused("terminal_on_success_order", (), (), round=1).message


def test_an_upstreams_sentence_is_found():
    assert upstream_message(b'{"error":{"message":"no"}}') == "no"
    assert upstream_message(b'{"error":"no"}') == "no"
    for body in (b"<html>", b"[]", b'{"error":{}}'):
        assert upstream_message(body) == ""

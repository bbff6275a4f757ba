"""The vendors' own clients through the proxy, with their accumulators and their own retries."""

import json
from pathlib import Path
from typing import Any

import pytest
from testbed.exchange import ANTHROPIC_MESSAGES, OPENAI_RESPONSES, WIRES
from testbed.proxied import Proxied, proxied
from testbed.proxy_cells import B, Cell, M, N, W, cells, names
from testbed.proxy_clients import CALLING, FINAL
from testbed.replies import Call, Say
from testbed.sdk_conversations import ResponseFailedError, conversation, errors

ORDER = "managed calls come first"


def shown(proxy: Proxied, place: int) -> str:
    body = proxy.upstream.requests[place].body
    return json.dumps(body.get("messages") or body["input"])


@cells
def test_a76_i_a_client_is_told_plain_words(cell: Cell, tmp_path: Path):
    with proxied([Say("Hello."), Say("Bye.")], tmp_path) as proxy, conversation(proxy, cell) as it:
        assert (it.ask().text, it.ask().text) == ("Hello.", "Bye.")


@cells
def test_a76_ii_a_client_goes_on_for_five_native_turns(cell: Cell, tmp_path: Path):
    script = [Say(f"step {place}", [N, B]) for place in range(5)]
    with proxied([*script, Say("Done.")], tmp_path) as proxy, conversation(proxy, cell) as it:
        for place in range(5):
            answer = it.ask()
            assert (answer.text, names(answer)) == (f"step {place}", ["read_file", "bash"])
            assert answer.finish == CALLING[cell.wire]
        assert it.ask().text == "Done."
        assert proxy.service.executed == []


@cells
def test_a76_iii_managed_rounds_stay_hidden_and_are_kept(cell: Cell, tmp_path: Path):
    script = [Say("Looking.", [M]), Say(calls=[W]), Say("Found it."), Say("Bye.")]
    with proxied(script, tmp_path) as proxy, conversation(proxy, cell) as it:
        answer = it.ask()
        assert (answer.text, answer.calls) == ("Looking.\n\nFound it.", [])
        assert answer.finish == FINAL[cell.wire]
        it.ask()
        assert proxy.service.tools == ["docs_search", "crm_update"]
        followed = shown(proxy, 3)
    assert followed.startswith(shown(proxy, 2)[:-1])
    assert followed.count("Looking.") == 1


@cells
def test_a76_iv_the_calls_after_managed_ones_reach_the_client(cell: Cell, tmp_path: Path):
    script = [Say("Both.", [M, W, N, B]), Say(calls=[N]), Say("Done.")]
    with proxied(script, tmp_path) as proxy, conversation(proxy, cell) as it:
        answer = it.ask()
        assert (answer.text, names(answer)) == ("Both.", ["read_file", "bash"])
        assert json.loads(answer.calls[0][2]) == {"path": "a.py"}
        assert names(it.ask()) == ["read_file"]
        assert it.ask().text == "Done."
        assert proxy.service.tools == ["docs_search", "crm_update"]
        second, third = shown(proxy, 1), shown(proxy, 2)
    assert "docs_search" in second
    assert third.startswith(second[:-1])


@cells
@pytest.mark.parametrize("calls", [[N, M], [M, N, W]], ids=["native first", "managed after both"])
def test_a76_v_a_refused_order_is_raised_once(cell: Cell, calls: list[Call], tmp_path: Path):
    with (
        proxied([Say(calls=calls)], tmp_path) as proxy,
        conversation(proxy, cell) as it,
        pytest.raises(errors(cell).BadRequestError, match="split them") as raised,
    ):
        it.ask()
    error: Any = raised.value
    body = error.body["error"] if cell.wire == ANTHROPIC_MESSAGES else error.body
    assert error.status_code == 400
    assert body["type"] == "invalid_request_error"
    assert body["agent_proxy"]["code"] == "mixed_tool_order"
    assert body["agent_proxy"]["executed"] is False
    assert len(proxy.upstream.requests) == 1, "the client does not repeat it"
    assert proxy.service.executed == []


@pytest.mark.parametrize("wire", WIRES)
def test_a76_v_a_refusal_after_live_words_ends_the_stream(wire: str, tmp_path: Path):
    cell = Cell(wire, stream=True)
    failed = (ResponseFailedError, errors(cell).APIError)
    with (
        proxied([Say("Let me see.", [N, M])], tmp_path) as proxy,
        conversation(proxy, cell) as it,
        pytest.raises(failed, match="split them") as raised,
    ):
        it.ask()
    error: Any = raised.value
    if cell.wire == OPENAI_RESPONSES:
        assert error.code == "invalid_prompt"
    else:
        assert ORDER in str(error)
        assert "mixed_tool_order" in str(error.body)
    assert len(proxy.upstream.requests) == 1
    assert proxy.service.executed == []


@cells
def test_a35_the_next_request_after_a_refusal_tells_the_model(cell: Cell, tmp_path: Path):
    script = [Say(calls=[N, M]), Say(calls=[M, N]), Say("Done.")]
    with proxied(script, tmp_path) as proxy, conversation(proxy, cell) as it:
        with pytest.raises(errors(cell).BadRequestError):
            it.ask()
        assert names(it.ask()) == ["read_file"]
        assert it.ask().text == "Done."
        assert ORDER in shown(proxy, 1)
        assert proxy.service.tools == ["docs_search"]

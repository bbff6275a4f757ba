"""Managed, native and mixed replies through the proxy, in every dialect, streamed and not."""

import json
from pathlib import Path
from typing import Any

import pytest
from testbed.proxied import proxied
from testbed.proxy_cells import B, Cell, M, N, W, cells, names
from testbed.proxy_clients import CALLING, repeated, results, user
from testbed.replies import Call, Say, Usage


@cells
def test_a3_a4_native_calls_are_returned_as_they_are(cell: Cell, tmp_path: Path):
    with proxied([Say("Let me see.", [N, B])], tmp_path) as proxy:
        _, answer = cell.ask(proxy, [user("hi")])
        assert proxy.service.executed == []
    assert names(answer) == ["read_file", "bash"]
    assert answer.text == "Let me see."
    assert answer.finish == CALLING[cell.wire]


@cells
def test_a25_a_leading_managed_call_is_executed_and_the_rest_returned(cell: Cell, tmp_path: Path):
    with proxied([Say(calls=[M, N])], tmp_path) as proxy:
        got, answer = cell.ask(proxy, [user("hi")])
        assert proxy.service.tools == ["docs_search"]
        assert len(proxy.upstream.requests) == 1
        (decision,) = proxy.audit("mediation_decision")
    assert names(answer) == ["read_file"]
    assert json.loads(answer.calls[0][2]) == {"path": "a.py"}
    assert answer.finish == CALLING[cell.wire]
    assert b"docs_search" not in got.body
    assert decision["class"] == "managed_prefix"


@cells
def test_a26_the_order_is_kept(cell: Cell, tmp_path: Path):
    with proxied([Say("On it.", [M, W, N, B])], tmp_path) as proxy:
        _, answer = cell.ask(proxy, [user("hi")])
        assert proxy.service.tools == ["docs_search", "crm_update"]
    assert (answer.text, names(answer)) == ("On it.", ["read_file", "bash"])


@cells
@pytest.mark.parametrize("calls", [[N, M], [M, N, W]], ids=["A29", "A30"])
def test_a29_a30_a_native_call_before_a_managed_one_is_refused(
    cell: Cell, calls: list[Call], tmp_path: Path
):
    with proxied([Say(calls=calls)], tmp_path) as proxy:
        got = proxy.ask(cell.path, cell.request([user("hi")]))
        assert proxy.service.executed == []
        (failed,) = proxy.audit("mediation_failure")
        (entry,) = proxy.audit("history")
    assert got.status == 400
    error = got.json["error"]
    assert error["type"] == "invalid_request_error"
    assert error["agent_proxy"]["code"] == "mixed_tool_order"
    assert error["agent_proxy"]["executed"] is False
    assert "managed calls come first" in error["message"]
    assert got.headers["x-should-retry"] == "false"
    assert failed["code"] == "mixed_tool_order"
    assert entry["status"] == "error"


@cells
def test_a37_hidden_rounds_come_back_with_the_clients_results(cell: Cell, tmp_path: Path):
    script = [Say("Both.", [M, N]), Say(calls=[B]), Say("Done.")]
    with proxied(script, tmp_path) as proxy:
        history: list[Any] = [user("hi")]
        for _ in range(3):
            _, answer = cell.ask(proxy, history)
            history += [*repeated(cell.wire, answer), *results(cell.wire, answer)]
        assert proxy.service.tools == ["docs_search"]
        second, third = (one.body for one in proxy.upstream.requests[1:])
    for body in (second, third):
        assert "docs_search" in json.dumps(body.get("messages") or body["input"])
    key = "input" if "input" in second else "messages"
    assert third[key][: len(second[key])] == second[key]


@cells
def test_a40_hidden_rounds_stand_before_a_final_answer(cell: Cell, tmp_path: Path):
    script = [Say("Looking.", [M]), Say("Found it."), Say("Bye.")]
    with proxied(script, tmp_path) as proxy:
        _, answer = cell.ask(proxy, [user("hi")])
        history = [user("hi"), *repeated(cell.wire, answer), user("thanks")]
        got, _ = cell.ask(proxy, history)
        said = json.dumps(proxy.upstream.requests[2].body)
    assert said.count("Looking.") == 1
    first = said.index("Looking.")
    assert said.index("docs_search", first) < said.index("Found it.", first)
    if not cell.stream:
        assert got.headers["x-agent-proxy-continuity"] == "injected:1"


@cells
def test_a61_usage_is_summed(cell: Cell, tmp_path: Path):
    script = [Say(calls=[M], usage=Usage(10, 3)), Say("x", usage=Usage(17, 5))]
    with proxied(script, tmp_path) as proxy:
        _, answer = cell.ask(proxy, [user("hi")])
    usage = answer.usage
    counts = (
        usage.get("prompt_tokens", usage.get("input_tokens")),
        usage.get("completion_tokens", usage.get("output_tokens")),
    )
    assert counts == (27, 8)

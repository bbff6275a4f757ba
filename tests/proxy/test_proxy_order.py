"""Replies whose calls have two owners: refusals, other policies, layouts, ids."""

import json
from pathlib import Path
from typing import Any

import pytest
from testbed.exchange import ANTHROPIC_MESSAGES, OPENAI_CHAT
from testbed.managed_service import ToolService, failing
from testbed.proxied import history_of, proxied
from testbed.proxy_cells import Cell, M, N, W, cells, names
from testbed.proxy_clients import repeated, results, user
from testbed.replies import OMIT, Call, Delivery, Say

RETRY = {"unsafe_policy": "retry_then_error"}


@cells
def test_a27_a_failing_managed_call_withholds_nothing(cell: Cell, tmp_path: Path):
    script = [Say(calls=[W, N]), Say("Done.")]
    with proxied(script, tmp_path, ToolService(failing)) as proxy:
        _, answer = cell.ask(proxy, [user("hi")])
        more = [*repeated(cell.wire, answer), *results(cell.wire, answer)]
        cell.ask(proxy, [user("hi"), *more])
        said = json.dumps(history_of(proxy, 1))
    assert names(answer) == ["read_file"]
    assert "http_500" in said


@cells
def test_a27_or_the_model_is_asked_again(cell: Cell, tmp_path: Path):
    script = [Say(calls=[W, N]), Say(calls=[N])]
    mediation = {"on_prefix_failure": "resample"}
    with proxied(script, tmp_path, ToolService(failing), mediation=mediation) as proxy:
        _, answer = cell.ask(proxy, [user("hi")])
        assert len(proxy.upstream.requests) == 2
        assert [one["name"] for one in proxy.audit("native_suffix_dropped")] == ["read_file"]
    assert names(answer) == ["read_file"]


@cells
def test_a28_a38_bound_reasoning_keeps_the_turn_together(cell: Cell, tmp_path: Path):
    script = [Say("Both.", [M, N], reasoning="Hm."), Say("Done.")]
    with proxied(script, tmp_path) as proxy:
        _, answer = cell.ask(proxy, [user("hi")])
        more = [*repeated(cell.wire, answer), *results(cell.wire, answer)]
        cell.ask(proxy, [user("hi"), *more])
        history = history_of(proxy, 1)
        (stored, *_) = proxy.audit("continuity_store")
    if cell.wire == OPENAI_CHAT:
        assert answer.blocks[0]["reasoning_content"] == "Hm."
        assert [one["role"] for one in history] == [
            "user",
            "assistant",
            "tool",
            "assistant",
            "tool",
        ]
        return
    assert stored["layout"] == "merged"
    if cell.wire == ANTHROPIC_MESSAGES:
        assert answer.blocks[0]["type"] == "thinking"
        kinds = [[block["type"] for block in one["content"]] for one in history[1:]]
        assert kinds == [
            ["thinking", "text", "tool_use", "tool_use"],
            ["tool_result", "tool_result"],
        ]
    else:
        assert answer.blocks[0]["encrypted_content"]
        kinds = [one.get("type", "message") for one in history]
        assert kinds[1:3] == ["reasoning", "message"]
        assert kinds[3:] == ["function_call"] * 2 + ["function_call_output"] * 2


@cells
def test_a31_what_was_executed_before_a_refusal_is_not_executed_again(cell: Cell, tmp_path: Path):
    script = [Say(calls=[W]), Say(calls=[N, M]), Say("Done.")]
    with proxied(script, tmp_path) as proxy:
        body = cell.request([user("hi")])
        got = proxy.ask(cell.path, body)
        assert got.status == 400
        about = got.json["error"]["agent_proxy"]
        assert (about["round"], about["prior_managed_executed"]) == (2, ["crm.update"])
        _, answer = cell.ask(proxy, [user("hi")])
        assert proxy.service.tools == ["crm_update"]
        told = json.dumps(history_of(proxy, 2))
        assert "crm_update" in told
        assert told.count("split them") == 2
    assert answer.text == "Done."


@cells
def test_a32_the_model_is_told_and_tries_again(cell: Cell, tmp_path: Path):
    with proxied([Say(calls=[N, M]), Say(calls=[M, N])], tmp_path, mediation=RETRY) as proxy:
        _, answer = cell.ask(proxy, [user("hi")])
        assert proxy.service.tools == ["docs_search"]
        said = json.dumps(history_of(proxy, 1))
    assert names(answer) == ["read_file"]
    assert said.count("split them") == 2
    if cell.wire == ANTHROPIC_MESSAGES:
        assert said.count('"is_error": true') == 2


@cells
def test_a33_but_only_so_often(cell: Cell, tmp_path: Path):
    with proxied([Say(calls=[N, M]), Say(calls=[N, M])], tmp_path, mediation=RETRY) as proxy:
        got = proxy.ask(cell.path, cell.request([user("hi")]))
        assert len(proxy.upstream.requests) == 2
    assert got.status == 400
    assert got.json["error"]["agent_proxy"]["attempts"] == 2


@cells
def test_a34_natives_that_are_not_repeated_are_in_the_audit(cell: Cell, tmp_path: Path):
    mediation = {"mixed_policy": "resample"}
    with proxied([Say(calls=[M, N]), Say("Done.")], tmp_path, mediation=mediation) as proxy:
        _, answer = cell.ask(proxy, [user("hi")])
        assert len(proxy.upstream.requests) == 2
        assert [one["name"] for one in proxy.audit("native_suffix_dropped")] == ["read_file"]
    assert (answer.text, answer.calls) == ("Done.", [])


@cells
@pytest.mark.parametrize("more", [[], [user("continue")]], ids=["again", "continue"])
def test_a35_a_refused_request_that_comes_again_tells_the_model(
    cell: Cell, more: list[Any], tmp_path: Path
):
    script = [Say(calls=[N, M]), Say(calls=[M]), Say("Done.")]
    with proxied(script, tmp_path) as proxy:
        assert proxy.ask(cell.path, cell.request([user("hi")])).status == 400
        _, answer = cell.ask(proxy, [user("hi"), *more])
        history = history_of(proxy, 1)
        assert proxy.service.tools == ["docs_search"]
    assert answer.text == "Done."
    said = json.dumps(history)
    assert said.count("split them") == 2
    if more:
        assert said.index("split them") < said.index("continue")
    if cell.wire == ANTHROPIC_MESSAGES:
        assert [one["role"] for one in history] == ["user", "assistant", "user"]


@cells
@pytest.mark.parametrize("ids", [("", ""), ("same", "same"), (OMIT, OMIT)], ids=str)
def test_a36_calls_without_ids_of_their_own_get_some(
    cell: Cell, ids: tuple[str, str], tmp_path: Path
):
    calls = [Call(M.name, M.args, ids[0]), Call(N.name, N.args, ids[1])]
    with proxied([Say(calls=calls), Say("Done.")], tmp_path) as proxy:
        _, answer = cell.ask(proxy, [user("hi")])
        more = [*repeated(cell.wire, answer), *results(cell.wire, answer)]
        cell.ask(proxy, [user("hi"), *more])
        said = json.dumps(history_of(proxy, 1))
    ((id_, name, _),) = answer.calls
    assert name == "read_file"
    assert id_
    assert said.count(id_) >= 2
    assert "docs_search" in said


@cells
def test_a57_a_cut_reply_executes_nothing(cell: Cell, tmp_path: Path):
    cut = Say("Words.", [M.cut(5)], stop="length")
    with proxied([cut], tmp_path) as proxy:
        got, answer = cell.ask(proxy, [user("hi")])
        assert proxy.service.executed == []
    assert (answer.text, answer.calls) == ("Words.", [])
    assert answer.finish in ("length", "incomplete", "max_tokens")
    assert b"docs_search" not in got.body


@cells
def test_a63_arguments_that_are_no_json_come_as_they_are(cell: Cell, tmp_path: Path):
    if cell == Cell(ANTHROPIC_MESSAGES, stream=False):
        return  # a whole message cannot hold them
    broken = Call("read_file", '{"path": ')
    ours = Call("docs_search", '{"q": ')
    with proxied([Say(calls=[ours]), Say(calls=[broken])], tmp_path) as proxy:
        got = proxy.ask(cell.path, cell.request([user("hi")]))
        history = history_of(proxy, 1)
        assert "invalid_arguments" in json.dumps(history)
        assert proxy.service.executed == []
    assert got.status == 200
    assert b'{\\"path\\": ' in got.body
    assert _arguments(cell, history) in ("{}", {}), "no upstream refuses the next request for it"
    assert ours.arguments in json.loads(_result(cell, history))["error"]["details"]["arguments"]


def _arguments(cell: Cell, history: list[dict[str, Any]]) -> object:
    """What the model is shown that it has called our tool with."""
    turn = history[1]
    if cell.wire == ANTHROPIC_MESSAGES:
        return turn["content"][0]["input"]
    return (turn["tool_calls"][0]["function"] if cell.wire == OPENAI_CHAT else turn)["arguments"]


def _result(cell: Cell, history: list[dict[str, Any]]) -> str:
    if cell.wire == ANTHROPIC_MESSAGES:
        return history[2]["content"][0]["content"]
    return history[2]["content" if cell.wire == OPENAI_CHAT else "output"]


@cells
def test_small_pieces_make_the_same_answer(cell: Cell, tmp_path: Path):
    say = Say("Some words.", [M, N], delivery=Delivery(piece=1, chunk=3))
    with proxied([say], tmp_path) as proxy:
        _, answer = cell.ask(proxy, [user("hi")])
    assert (answer.text, names(answer)) == ("Some words.", ["read_file"])

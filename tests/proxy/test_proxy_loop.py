"""Managed, native and mixed replies through the proxy, in every dialect, streamed and not."""

import json
from itertools import pairwise
from pathlib import Path
from threading import Timer
from typing import Any

import pytest
from testbed.exchange import ANTHROPIC_MESSAGES, OPENAI_CHAT, OPENAI_RESPONSES
from testbed.managed_service import Held, ToolService
from testbed.proxied import Got, history_of, proxied
from testbed.proxy_cells import B, Cell, M, N, W, cells
from testbed.proxy_clients import BEAT, CALLING, Json, frames, repeated, results, user, whole
from testbed.replies import Call, Say, Usage


def shape(cell: Cell, got: Got) -> list[str]:
    """The kinds of what is shown, in order."""
    made = whole(cell.wire, got.body, stream=cell.stream)
    if cell.wire == OPENAI_RESPONSES:
        return [one.get("name", one["type"]) for one in made["output"]]
    if cell.wire == ANTHROPIC_MESSAGES:
        return [one.get("name", one["type"]) for one in made["content"]]
    said = made["choices"][0]["message"]
    calls = [one["function"]["name"] for one in said.get("tool_calls") or ()]
    return [*["text"] * bool(said["content"]), *calls]


TEXT = {OPENAI_CHAT: "text", OPENAI_RESPONSES: "message", ANTHROPIC_MESSAGES: "text"}


@cells
@pytest.mark.parametrize("text", ["", "Let me see."], ids=["A3", "A4"])
def test_a3_a4_native_calls_are_returned_as_they_are(cell: Cell, text: str, tmp_path: Path):
    odd = Call("read_file", '{ "path":"a.py" ,"b": 1, "a": 2}', "toolu_or_call_1")
    with proxied([Say(text, [odd, B])], tmp_path) as proxy:
        got, answer = cell.ask(proxy, [user("hi")])
        assert proxy.service.executed == []
        assert len(proxy.upstream.requests) == 1
    assert shape(cell, got) == [*[TEXT[cell.wire]] * bool(text), "read_file", "bash"]
    assert answer.text == text
    assert answer.calls[0][0] == "toolu_or_call_1"
    arguments = answer.calls[0][2]
    assert list(json.loads(arguments)) == ["path", "b", "a"]
    if cell.wire != ANTHROPIC_MESSAGES:
        assert arguments == odd.args
    if cell == Cell(OPENAI_CHAT, stream=False) and not text:
        assert got.json["choices"][0]["message"]["content"] is None
    assert answer.finish == CALLING[cell.wire]
    if not cell.stream:
        assert got.disposition == "native_only"


@cells
def test_a25_a_leading_managed_call_is_executed_and_the_rest_returned(cell: Cell, tmp_path: Path):
    native = Call("read_file", '{"path": "a.py"}', "toolu_or_call_1")
    with proxied([Say(calls=[M, native])], tmp_path) as proxy:
        got, answer = cell.ask(proxy, [user("hi")])
        assert proxy.service.tools == ["docs_search"]
        assert len(proxy.upstream.requests) == 1
        events = proxy.audit()
    assert shape(cell, got) == ["read_file"]
    assert [(id_, json.loads(text)) for id_, _, text in answer.calls] == [
        ("toolu_or_call_1", {"path": "a.py"})
    ]
    assert answer.finish == CALLING[cell.wire]
    (decision,) = [one for one in events if one["event"] == "mediation_decision"]
    assert (decision["class"], decision["native"]) == ("managed_prefix", ["read_file"])
    kinds = [one["event"] for one in events]
    assert kinds.index("managed_call") < kinds.index("continuity_store") < kinds.index("history")
    (entry,) = [one for one in events if one["event"] == "history"]
    assert [one["name"] for one in entry["tool_trace"]] == ["docs.search"]
    assert entry["mediation"]["native_forwarded"] == [
        {"id": "toolu_or_call_1", "name": "read_file"}
    ]
    if not cell.stream:
        assert got.disposition == "mixed_forwarded"
        assert got.headers["x-agent-proxy-managed-calls"] == "1"
        assert got.headers["x-agent-proxy-continuity"] == "stored"


@cells
def test_a26_the_order_is_kept_and_calls_wait_for_those_before_them(cell: Cell, tmp_path: Path):
    held = Held()
    limits = {"heartbeat": 0.05}
    script = [Say("On it.", [M, W, N, B])]
    with proxied(script, tmp_path, ToolService(held), limits=limits) as proxy:
        ending = Timer(0.2, held.go_on)
        ending.start()
        got, answer = cell.ask(proxy, [user("hi")])
        ending.join()
        assert proxy.service.tools == ["docs_search", "crm_update"]
        assert len(proxy.upstream.requests) == 1
    assert shape(cell, got) == [TEXT[cell.wire], "read_file", "bash"]
    assert answer.text == "On it."
    if cell.stream:
        call = b"function_call" if cell.wire == OPENAI_RESPONSES else b"read_file"
        assert got.body.index(b"On it.") < got.body.rindex(BEAT[cell.wire]) < got.body.index(call)


@cells
@pytest.mark.parametrize("calls", [[N, M], [M, N, W]], ids=["A29", "A30"])
def test_a29_a30_a_native_call_before_a_managed_one_is_refused(
    cell: Cell, calls: list[Call], tmp_path: Path
):
    with proxied([Say(calls=calls)], tmp_path) as proxy:
        got = proxy.ask(cell.path, cell.request([user("hi")]))
        assert proxy.service.executed == []
        assert len(proxy.upstream.requests) == 1
        (failed,) = proxy.audit("mediation_failure")
        (entry,) = proxy.audit("history")
    assert (got.status, got.disposition) == (400, "error")
    assert got.headers["x-should-retry"] == "false"
    error = got.json["error"]
    assert error["type"] == "invalid_request_error"
    assert "managed calls come first" in error["message"]
    assert "split them" in error["message"]
    _is_a_refusal(error["agent_proxy"], [call.name for call in calls])
    assert error.get("code", "mixed_tool_order") == "mixed_tool_order"
    assert ("request_id" in got.json) is (cell.wire == ANTHROPIC_MESSAGES)
    assert (failed["code"], failed["http_status"], failed["executed"]) == (
        "mixed_tool_order",
        400,
        False,
    )
    assert (entry["status"], entry["tool_trace"]) == ("error", [])


def _is_a_refusal(about: Json, made: list[str]) -> None:
    assert (about["code"], about["executed"]) == ("mixed_tool_order", False)
    assert (about["required_order"], about["round"]) == ("managed_first", 1)
    assert about["retry"]["split_responses"] is True
    assert len(about["retry"]["steps"]) == 2
    told = {one["index"]: one["name"] for one in (*about["managed_calls"], *about["native_calls"])}
    assert [told[place] for place in range(len(made))] == made
    assert all(one["id"] for one in (*about["managed_calls"], *about["native_calls"]))
    assert [one["name"] for one in about["native_calls"]] == ["read_file"]


@cells
def test_a29_after_live_words_the_refusal_is_an_event(cell: Cell, tmp_path: Path):
    with proxied([Say("Let me see.", [N, M])], tmp_path) as proxy:
        got = proxy.ask(cell.path, cell.request([user("hi")]))
        assert proxy.service.executed == []
    if not cell.stream:
        assert got.status == 400
        return
    assert got.status == 200
    assert got.body.index(b"Let me see") < got.body.index(b"mixed_tool_order")
    for end in (b"[DONE]", b"message_stop", b"response.completed", b'read_file","arg'):
        assert end not in got.body
    event = json.loads(frames(got.body)[-1].data)
    if cell.wire == OPENAI_RESPONSES:
        assert (event["type"], event["response"]["status"]) == ("response.failed", "failed")
        assert event["response"]["error"]["code"] == "invalid_prompt"
        assert event["response"]["error"]["message"].startswith("mixed_tool_order: ")
        assert event["response"]["metadata"]["agent_proxy"] == "mixed_tool_order"
    else:
        assert event["error"]["type"] == "invalid_request_error"
        assert event["error"]["agent_proxy"]["code"] == "mixed_tool_order"


def layout(cell: Cell, history: list[Json]) -> list[str]:
    """What stands in a history, place by place."""
    if cell.wire == OPENAI_CHAT:
        made = [one.get("tool_calls") or () for one in history]
        calls = [[call["function"]["name"] for call in each] for each in made]
        return [" ".join([one["role"], *each]) for one, each in zip(history, calls, strict=True)]
    if cell.wire == OPENAI_RESPONSES:
        return [one.get("name") or one.get("type", "message") for one in history]
    return [
        " ".join([one["role"], *(block.get("name", block["type"]) for block in one["content"])])
        if isinstance(one["content"], list)
        else one["role"]
        for one in history
    ]


SPLIT = {
    OPENAI_CHAT: ["user", "assistant docs_search", "tool", "assistant read_file", "tool"],
    OPENAI_RESPONSES: [
        "message", "docs_search", "function_call_output", "read_file", "function_call_output"
    ],
    ANTHROPIC_MESSAGES: [
        "user", "assistant docs_search", "user tool_result", "assistant read_file",
        "user tool_result",
    ],
}  # fmt: skip


@cells
def test_a37_a39_hidden_rounds_come_back_with_the_clients_results(cell: Cell, tmp_path: Path):
    script = [Say(calls=[M, N]), *(Say(calls=[B]) for _ in range(9)), Say("Done.")]
    with proxied(script, tmp_path) as proxy:
        history: list[Any] = [user("hi")]
        for _ in script:
            got, answer = cell.ask(proxy, history)
            history += [*repeated(cell.wire, answer), *results(cell.wire, answer)]
        assert proxy.service.tools == ["docs_search"]
        told = [history_of(proxy, number) for number in range(1, len(script))]
    assert layout(cell, told[0]) == SPLIT[cell.wire]
    for earlier, later in pairwise(told):
        assert later[: len(earlier)] == earlier
    if not cell.stream:
        assert got.headers["x-agent-proxy-continuity"] == "injected:1"


def rewritten(cell: Cell, said: list[Json]) -> list[Json]:
    """A final answer as another client would have kept it."""
    if cell.wire == OPENAI_RESPONSES:
        return [{name: value for name, value in one.items() if name != "id"} for one in said]
    if cell.wire == ANTHROPIC_MESSAGES:
        text = "\n\n".join(block["text"] for block in said[0]["content"])
        return [{"role": "assistant", "content": text}]
    return [{"role": "assistant", "content": [{"type": "text", "text": said[0]["content"]}]}]


@cells
@pytest.mark.parametrize("other", [False, True], ids=["as it came", "written otherwise"])
def test_a40_hidden_rounds_stand_before_a_final_answer(cell: Cell, other: bool, tmp_path: Path):  # noqa: FBT001 - a parameter of the table
    script = [Say("Looking.", [M]), Say("Found it."), Say("Bye.")]
    with proxied(script, tmp_path) as proxy:
        _, answer = cell.ask(proxy, [user("hi")])
        final = repeated(cell.wire, answer)
        final = rewritten(cell, final) if other else final
        got, _ = cell.ask(proxy, [user("hi"), *final, user("thanks")])
        history = history_of(proxy, 2)
        before = history_of(proxy, 1)
    said = json.dumps(history)
    assert (said.count("Looking."), said.count("Found it.")) == (1, 1)
    assert history[: len(before)] == before
    assert len(history) == len(before) + 2
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
